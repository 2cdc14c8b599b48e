import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { toolCaller } from "../../support/toolCalls";

const FIVE = "a\nb\nc\nd\ne\n";

function reader(files: ConstructorParameters<typeof MemoryWorkspace>[0]) {
  const workspace = new MemoryWorkspace(files);
  return { workspace, call: toolCaller(workspace) };
}

test("a file is read whole without questions, as plain text under one line of heading", async () => {
  const { call } = reader({ files: { "five.txt": FIVE } });
  const { content, outcome, questions, summary, facts } = await call("read_file", { path: "five.txt" });
  assert.equal(content, "five.txt lines 1–5 of 5\na\nb\nc\nd\ne");
  assert.deepEqual([outcome, questions, summary], ["ok", [], "lines 1–5 of 5"]);
  assert.equal(facts?.kind === "read" && facts.path, "five.txt");
});

test("a range is read, and an end past the last line is the last line", async () => {
  const { call } = reader({ files: { "five.txt": FIVE } });
  const range = await call("read_file", { path: "five.txt", start_line: 2, end_line: 3 });
  assert.equal(range.content, "five.txt lines 2–3 of 5\nb\nc");
  const past = await call("read_file", { path: "five.txt", start_line: 4, end_line: 99 });
  assert.equal(past.content, "five.txt lines 4–5 of 5\nd\ne");
});

for (const [name, input] of [
  ["past the end", { start_line: 100 }],
  ["line 0", { start_line: 0 }],
  ["a negative line", { start_line: -2 }],
  ["reversed", { start_line: 4, end_line: 2 }],
  ["a character past the end of the line", { start_line: 1, start_character: 7 }],
] as const) {
  test(`R02: a range that is not there says what is (${name})`, async () => {
    const { call } = reader({ files: { "five.txt": FIVE } });
    const { outcome, content } = await call("read_file", { path: "five.txt", ...input });
    assert.equal(outcome, "error");
    assert.match(content, /five\.txt/);
    assert.match(content, name.includes("character") ? /has 1 character:/ : /five\.txt has 5 lines/);
    assert.doesNotMatch(content, /empty/);
  });
}

test("R01: one line of 600 kB is bounded by size, says its size, and can be read to its end in parts", async () => {
  const line = Array.from({ length: 60_000 }, (_, index) => String(index).padStart(10, "0")).join("");
  const { call } = reader({ files: { "app.min.js": line } });
  let [gathered, from, calls] = ["", 1, 0];
  while (from > 0 && calls < 100) {
    const input =
      calls === 0 ? { path: "app.min.js" } : { path: "app.min.js", start_line: 1, start_character: from };
    const { content, outcome } = await call("read_file", input, { maxCharacters: 20_000 });
    assert.equal(outcome, "ok");
    assert.ok(content.length <= 20_000);
    const body = content.slice(content.indexOf("\n") + 1);
    const note =
      /\n\[characters ([\d,]+)–([\d,]+) of 600,000; read on with start_line=1, start_character=(\d+).*\]$/.exec(
        body,
      );
    gathered += note ? body.slice(0, note.index) : body;
    from = Number(note?.[3] ?? 0);
    calls += 1;
  }
  assert.equal(gathered, line);
});

test("a cut result says how many lines are left, and reading on as it says gives the whole file", async () => {
  const line = fc.string({ unit: fc.constantFrom("x", "é", "😀", " "), maxLength: 90 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 300, max: 900 }),
      async (lines, most) => {
        const { call } = reader({ files: { "f.txt": `${lines.join("\n")}\n` } });
        const gathered: string[] = [];
        let next: number | undefined = 1;
        while (next !== undefined) {
          const { content }: { content: string } = await call(
            "read_file",
            { path: "f.txt", start_line: next },
            { maxCharacters: most },
          );
          assert.ok(content.length <= most);
          assert.doesNotMatch(content, /\p{Surrogate}/u);
          const [heading = "", ...body] = content.split("\n");
          const note = /^\[([\d,]+) lines? left; read on with start_line=(\d+)\]$/.exec(body.at(-1) ?? "");
          if (note) body.pop();
          assert.match(heading, new RegExp(`lines ${next}–${next + body.length - 1} of ${lines.length}$`));
          gathered.push(...body);
          next = note ? Number(note[2]) : undefined;
          if (note) assert.equal(Number(note[1]), lines.length - gathered.length);
        }
        assert.deepEqual(gathered, lines);
      },
    ),
    { numRuns: 40 },
  );
});

test("an empty file is said to be empty, and no line of it can be asked for", async () => {
  const { call } = reader({ files: { "empty.txt": "" } });
  assert.equal((await call("read_file", { path: "empty.txt" })).content, "empty.txt is empty (0 lines).");
  const { outcome, content } = await call("read_file", { path: "empty.txt", start_line: 3 });
  assert.equal(outcome, "error");
  assert.match(content, /has 0 lines: it is empty/);
});

test("R03: what is no text is named with kind and size, without its bytes", async () => {
  const blob = { reason: "binary", description: "PNG image", bytes: 200_000 } as const;
  const { call } = reader({ files: { "pic.txt": blob } });
  const { outcome, content } = await call("read_file", { path: "pic.txt" });
  assert.deepEqual([outcome, content], ["error", "pic.txt was not read: PNG image, 200,000 bytes."]);
});

test("a folder and a missing file are named, with what to do and the nearest names", async () => {
  const { call } = reader({ files: { "src/main.ts": "x", "src/maim.md": "x" } });
  assert.match((await call("read_file", { path: "src" })).content, /src is a folder\. list_files/);
  const missing = await call("read_file", { path: "src/main.js" });
  assert.equal(missing.outcome, "error");
  assert.match(missing.content, /src\/main\.js does not exist\. Similar: src\/main\.ts/);
});

test("without a folder every file tool says so and what to do", async () => {
  const { call } = reader({ hasFolder: false });
  for (const [tool, input] of [
    ["read_file", { path: "a" }],
    ["list_files", {}],
    ["search_text", { pattern: "a" }],
    ["edit_file", { path: "a", old_text: "", new_text: "b" }],
  ] as const) {
    const { outcome, content, questions } = await call(tool, input);
    assert.deepEqual([outcome, questions], ["error", []]);
    assert.match(content, /No folder is open.*Open Folder/);
  }
});

test("E09: an outside path is asked about by its real target before anything of it is read", async () => {
  const { call, workspace } = reader({ files: { "/elsewhere/x.txt": "secret" } });
  const input = { path: "../elsewhere/x.txt" };
  const refused = await call("read_file", input, { answer: { answer: "deny", reason: "not yours" } });
  assert.deepEqual(refused.questions, [{ kind: "outside", path: "/elsewhere/x.txt", access: "read" }]);
  assert.equal(refused.outcome, "denied");
  assert.match(refused.content, /Their reason: not yours/);
  assert.doesNotMatch(refused.content, /secret/);
  assert.deepEqual(workspace.touched, []);
  const allowed = await call("read_file", input);
  assert.match(allowed.content, /secret/);
});

test("A03: a stop while the person is asked ends the call without reading", async () => {
  const { call, workspace } = reader({ files: { "/elsewhere/x.txt": "secret" } });
  const stop = new AbortController();
  const answer = () => {
    stop.abort();
    return { answer: "deny", reason: "" } as const;
  };
  const { outcome } = await call("read_file", { path: "/elsewhere/x.txt" }, { answer, signal: stop.signal });
  assert.equal(outcome, "cancelled");
  assert.deepEqual(workspace.touched, []);
  assert.equal(
    (await call("read_file", { path: "a" }, { signal: AbortSignal.abort() })).outcome,
    "cancelled",
  );
});

test("a path with a NUL character is refused", async () => {
  const { call } = reader({});
  assert.match((await call("read_file", { path: "a\0b" })).content, /NUL/);
});

test("E06: a text with unsaved changes, or in another encoding than UTF-8, is marked as such", async () => {
  const { call, workspace } = reader({ files: { "note.md": "" } });
  workspace.readText = () =>
    Promise.resolve({ text: "a\nmine\n", hash: "0", hasUnsavedChanges: true, encoding: "utf-16le" });
  const { content } = await call("read_file", { path: "note.md" });
  assert.equal(content, "note.md lines 1–2 of 2 (utf-16le, with unsaved changes)\na\nmine");
});
