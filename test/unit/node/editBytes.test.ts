import assert from "node:assert/strict";
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { editorOn } from "../../support/diskEditor";

test("E01: an edit in a file with Windows line ends writes them also in added lines, and none elsewhere", async (context) => {
  const { edit, bytesOf } = await editorOn(context, {
    "greet.txt": "alpha\r\nbeta\r\ngamma\r\n",
    "unix.txt": "alpha\nbeta\ngamma\n",
    "mac.txt": "alpha\rbeta\rgamma\r",
  });
  for (const path of ["greet.txt", "unix.txt", "mac.txt"])
    await edit(path, "alpha\nbeta", "ALPHA\nBETA\nBETA2");
  assert.equal((await bytesOf("greet.txt")).toString(), "ALPHA\r\nBETA\r\nBETA2\r\ngamma\r\n");
  assert.equal((await bytesOf("unix.txt")).toString(), "ALPHA\nBETA\nBETA2\ngamma\n");
  assert.equal((await bytesOf("mac.txt")).toString(), "ALPHA\rBETA\rBETA2\rgamma\r");
});

test("E01: in a file with mixed line ends every line keeps its own", async (context) => {
  const { edit, bytesOf } = await editorOn(context, { "mixed.txt": "a\r\nb\nc\rd\r\ne\r\n" });
  await edit("mixed.txt", "b\nc\nd", "b\nC\nd");
  assert.equal((await bytesOf("mixed.txt")).toString(), "a\r\nb\nC\rd\r\ne\r\n");
});

test("E02: dollar sequences are in the file byte for byte", async (context) => {
  const { edit, bytesOf } = await editorOn(context, { "run.sh": "echo START\n" });
  await edit("run.sh", "START", "$$ $& $1 $' $` end");
  assert.equal((await bytesOf("run.sh")).toString(), "echo $$ $& $1 $' $` end\n");
});

test("E04: an edit keeps the bytes of a file that is not UTF-8, and adds no second encoding", async (context) => {
  const before = Buffer.from("x=1\n# caf\xE9 \x93q\x94 \x81\n", "latin1");
  const { edit, bytesOf, call } = await editorOn(context, { "a.py": before });
  assert.match(
    (await call("read_file", { path: "a.py" })).content,
    /^a\.py lines 1–2 of 2 \(windows-1252\)\nx=1\n# café “q”/,
  );
  assert.equal((await edit("a.py", "x=1", "x=2")).outcome, "ok");
  const after = Buffer.from(before);
  after[2] = 0x32;
  assert.deepEqual(await bytesOf("a.py"), after);
  const refused = await edit("a.py", "x=2", "x='naïve'");
  assert.equal(refused.outcome, "error");
  assert.match(refused.content, /not UTF-8.*: ï\. Use ASCII/);
  assert.deepEqual(await bytesOf("a.py"), after);
  assert.equal((await edit("a.py", "x=2", "x='é'")).outcome, "ok");
  assert.equal((await bytesOf("a.py")).toString("latin1"), "x='\xE9'\n# caf\xE9 \x93q\x94 \x81\n");
});

test("E05: a byte-order mark is no part of line 1, stays once, and never comes by itself", async (context) => {
  const { edit, bytesOf, call } = await editorOn(context, {
    "job.ps1": "\uFEFFparam($n)\r\nWrite $n\r\n",
    "plain.ps1": "param($n)\r\n",
  });
  assert.equal(
    (await call("read_file", { path: "job.ps1" })).content,
    "job.ps1 lines 1–2 of 2\nparam($n)\nWrite $n",
  );
  await edit("job.ps1", "param($n)\nWrite $n", "param($n)\nWrite $n $n");
  await edit("plain.ps1", "param", "params");
  assert.equal((await bytesOf("job.ps1")).toString(), "\uFEFFparam($n)\r\nWrite $n $n\r\n");
  assert.equal((await bytesOf("plain.ps1")).toString(), "params($n)\r\n");
});

test("R03: UTF-16 with a mark is read and edited as text; NUL bytes and pictures are named by kind and size", async (context) => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  const little = Buffer.from("\uFEFFone\r\ntwo\r\n", "utf16le");
  const { call, edit, bytesOf } = await editorOn(context, {
    blob: Buffer.alloc(200_000),
    "pic.txt": png,
    "w.txt": little,
    "big.txt": Buffer.from(little).swap16(),
    "half.txt": Buffer.concat([little, Buffer.from([1])]),
  });
  const read = async (path: string) => (await call("read_file", { path })).content;
  assert.equal(await read("blob"), "blob was not read: binary data, 200,000 bytes.");
  assert.equal(await read("pic.txt"), "pic.txt was not read: PNG image, 12 bytes.");
  assert.equal(await read("half.txt"), `half.txt was not read: binary data, ${little.length + 1} bytes.`);
  assert.equal(await read("w.txt"), "w.txt lines 1–2 of 2 (utf-16le)\none\ntwo");
  assert.equal(await read("big.txt"), "big.txt lines 1–2 of 2 (utf-16be)\none\ntwo");
  for (const path of ["w.txt", "big.txt"]) assert.equal((await edit(path, "two", "2 €")).outcome, "ok");
  assert.deepEqual(await bytesOf("w.txt"), Buffer.from("\uFEFFone\r\n2 €\r\n", "utf16le"));
  assert.deepEqual(await bytesOf("big.txt"), Buffer.from("\uFEFFone\r\n2 €\r\n", "utf16le").swap16());
  assert.equal((await edit("pic.txt", "", "x")).outcome, "error");
  assert.deepEqual(await bytesOf("pic.txt"), png);
});

test("E07: an empty old text leaves a file with content byte-equal, and a new file has the text as it is", async (context) => {
  const { edit, bytesOf } = await editorOn(context, { "log.md": "a\r\nb" });
  assert.equal((await edit("log.md", "", "tail")).outcome, "error");
  assert.equal((await bytesOf("log.md")).toString(), "a\r\nb");
  assert.equal((await edit("new/deep/file.txt", "", "x\ny")).outcome, "ok");
  assert.equal((await bytesOf("new/deep/file.txt")).toString(), "x\ny");
});

test("E08: edits of one file in a row each start from what the one before wrote", async (context) => {
  const { edit, bytesOf } = await editorOn(context, { "n.txt": "one\ntwo\nthree\nfour\n" });
  for (const word of ["one", "three", "four"])
    assert.equal((await edit("n.txt", word, word.toUpperCase())).outcome, "ok");
  assert.equal((await bytesOf("n.txt")).toString(), "ONE\ntwo\nTHREE\nFOUR\n");
});

test("half of a character is never matched away from its other half", async (context) => {
  const { edit, bytesOf } = await editorOn(context, { "a.txt": "x 😀 y\n" });
  assert.equal((await edit("a.txt", "\uD83D", "z")).outcome, "error");
  assert.equal((await bytesOf("a.txt")).toString(), "x 😀 y\n");
});

test("a file whose name is as long as names can be is edited like any other", async (context) => {
  const name = `${"\u6F22".repeat(83)}.txt`;
  const { edit, bytesOf } = await editorOn(context, { [name]: "one\n" });
  assert.equal((await edit(name, "one", "two")).outcome, "ok");
  assert.equal((await bytesOf(name)).toString(), "two\n");
});

test("a new file below what is a file is asked about once and refused with the reason", async (context) => {
  const { edit } = await editorOn(context, { "a.txt": "one\n" });
  const { questions, content } = await edit("a.txt/b/c.txt", "", "new\n");
  assert.equal(questions.length, 1);
  assert.match(content, /was not changed: a part of its path is a file/);
});

test("E10: a refused edit leaves bytes, mode and folder as they were", async (context) => {
  const { edit, bytesOf, folder } = await editorOn(context, { Gem: 'gem "a"\r\ngem "b"' });
  assert.equal((await edit("Gem", 'gem  "c"', "x")).outcome, "error");
  assert.equal((await bytesOf("Gem")).toString(), 'gem "a"\r\ngem "b"');
  assert.deepEqual(await readdir(folder), ["Gem"]);
});

test(
  "the mode stays, a link stays a link, and no temporary file is left",
  { skip: process.platform === "win32" },
  async (context) => {
    const { edit, bytesOf, folder } = await editorOn(context, { "run.sh": "echo 1\n" });
    await chmod(join(folder, "run.sh"), 0o751);
    await symlink("run.sh", join(folder, "link.sh"));
    assert.equal((await edit("link.sh", "1", "2")).outcome, "ok");
    assert.equal((await bytesOf("run.sh")).toString(), "echo 2\n");
    assert.equal((await stat(join(folder, "run.sh"))).mode & 0o7777, 0o751);
    assert.deepEqual(await readdir(folder), ["link.sh", "run.sh"]);
  },
);

test("a file that changed since it was read, or that came to be meanwhile, is not overwritten", async (context) => {
  const { workspace, folder, bytesOf } = await editorOn(context, { "a.txt": "one\n" });
  const path = await workspace.resolve("a.txt");
  const fresh = await workspace.resolve("b.txt");
  assert.ok(path.place === "inside" && fresh.place === "inside");
  await writeFile(join(folder, "a.txt"), "typed\n");
  await writeFile(join(folder, "b.txt"), "theirs\n");
  assert.ok("error" in (await workspace.write({ path, before: "one\n", after: "1\n" })));
  assert.ok("error" in (await workspace.write({ path: fresh, before: null, after: "mine\n" })));
  assert.equal((await bytesOf("a.txt")).toString(), "typed\n");
  assert.equal((await bytesOf("b.txt")).toString(), "theirs\n");
  assert.deepEqual((await readdir(folder)).sort(), ["a.txt", "b.txt"]);
});

test(
  "E09: a link that takes the place of a file or folder after it was resolved is not followed",
  { skip: process.platform === "win32" },
  async (context) => {
    const { workspace, folder } = await editorOn(context, { "ws/.keep": "", "out/x.txt": "theirs\n" });
    await writeFile(join(folder, "a.txt"), "one\n");
    await mkdir(join(folder, "sub"));
    const path = await workspace.resolve("a.txt");
    const below = await workspace.resolve("sub/new.txt");
    assert.ok(path.place === "inside" && below.place === "inside");
    await rm(join(folder, "a.txt"));
    await rm(join(folder, "sub"), { recursive: true });
    await symlink("out/x.txt", join(folder, "a.txt"));
    await symlink("out", join(folder, "sub"));
    assert.ok("reason" in (await workspace.readText(path.absolute)));
    assert.ok("error" in (await workspace.write({ path, before: "theirs\n", after: "mine\n" })));
    assert.ok("reason" in (await workspace.readText(join(folder, "sub/x.txt"))));
    assert.ok("error" in (await workspace.write({ path: below, before: null, after: "mine\n" })));
    assert.deepEqual(await readdir(join(folder, "out")), ["x.txt"]);
    assert.equal(await readFile(join(folder, "out/x.txt"), "utf8"), "theirs\n");
  },
);

test(
  "a read-only file and half a character are refused; a hard link's other name keeps the old text",
  { skip: process.platform === "win32" },
  async (context) => {
    const { edit, folder, bytesOf } = await editorOn(context, { "ro.txt": "one\n", "a.txt": "one\n" });
    await chmod(join(folder, "ro.txt"), 0o444);
    assert.match((await edit("ro.txt", "one", "two")).content, /was not changed: it is read-only/);
    assert.match((await edit("a.txt", "one", "\uD83D")).content, /half of a character/);
    assert.match((await edit("new.txt", "", "\uD83D")).content, /half of a character/);
    await link(join(folder, "a.txt"), join(folder, "b.txt"));
    assert.equal((await edit("a.txt", "one", "two")).outcome, "ok");
    assert.deepEqual(
      [(await bytesOf("a.txt")).toString(), (await bytesOf("b.txt")).toString()],
      ["two\n", "one\n"],
    );
  },
);
