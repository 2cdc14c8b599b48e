import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SECRET_FILES, secretsNamed, secretTest } from "../../../src/core/approvals/secrets";
import { readShellCommand } from "../../../src/node/commands/shellSyntax";
import { createWorkspace } from "../../../src/node/files/workspace";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { temporaryFolder } from "../../support/temporaryFolder";
import { FakeShell, toolCaller } from "../../support/toolCalls";

const isSecret = secretTest(SECRET_FILES);
const FILES = {
  ".env": "TOKEN=fake-123\n",
  ".env.example": "TOKEN=\n",
  "a.ts": "const token = 1; // TOKEN\n",
};
const deny = { answer: { answer: "deny", reason: "" } } as const;

test("R04: names that look secret are known in any notation, and examples are none", () => {
  for (const path of [
    ".env",
    ".ENV",
    "a/b/.env.local",
    "prod.env",
    "C:\\keys\\server.PEM",
    "/home/a/.ssh/config",
    "~/.ssh/id_ed25519",
    "id_rsa",
    ".aws/credentials",
    ".git-credentials",
    "x/credentials.json",
    "secrets.yaml",
    "infra/main.tfvars",
  ]) {
    assert.ok(isSecret(path), path);
  }
  for (const path of [
    ".env.example",
    "a/.env.sample",
    "id_rsa.pub",
    "environment.ts",
    "src/keys.ts",
    "env",
    ".",
    "",
    "credentials.ts",
  ]) {
    assert.ok(!isSecret(path), path);
  }
  assert.ok(secretTest(["*.secret", "", " "])("a.secret"));
  assert.ok(!secretTest([])(".env"));
});

test("R04: reading, editing and searching a secret-looking file ask first; a no tells nothing of it", async () => {
  for (const [name, input] of [
    ["read_file", { path: ".env" }],
    ["read_file", { path: "./x/../.env" }],
    ["edit_file", { path: ".env", old_text: "fake-123", new_text: "x" }],
    ["edit_file", { path: ".env.production", old_text: "", new_text: "x" }],
    ["search_text", { pattern: "TOKEN", path: ".env" }],
  ] as const) {
    const workspace = new MemoryWorkspace({ files: FILES });
    const call = toolCaller(workspace, new FakeShell(), { isSecret });
    const { questions, outcome, content } = await call(name, input, deny);
    const [question] = questions;
    assert.ok(question?.kind === "secret" && questions.length === 1, JSON.stringify([name, questions]));
    assert.equal(question.access, name === "edit_file" ? "write" : "read");
    assert.equal(outcome, "denied");
    assert.doesNotMatch(content, /fake-123/);
    assert.deepEqual(workspace.touched, []);
  }
  const call = toolCaller(new MemoryWorkspace({ files: FILES }), new FakeShell(), { isSecret });
  const allowed = await call("read_file", { path: ".env" });
  assert.match(allowed.content, /fake-123/);
  const example = await call("read_file", { path: ".env.example" });
  assert.deepEqual(example.questions, []);
  assert.equal(example.outcome, "ok");
});

test("R04: a link with a harmless name that leads to a secret asks too", async (t) => {
  const folder = await temporaryFolder(t, FILES);
  await symlink(".env", join(folder, "notes.txt"));
  const call = toolCaller(
    createWorkspace(() => [{ name: "ws", path: folder }]),
    new FakeShell(),
    { isSecret },
  );
  const { questions, content } = await call("read_file", { path: "notes.txt" }, deny);
  assert.deepEqual(questions, [{ kind: "secret", path: ".env", access: "read" }]);
  assert.doesNotMatch(content, /fake-123/);
});

test("R04: a command that names a link to a secret says so, and is asked about whatever is allowed", async (t) => {
  const folder = await temporaryFolder(t, FILES);
  await symlink(".env", join(folder, "notes.txt"));
  const call = toolCaller(
    createWorkspace(() => [{ name: "ws", path: folder }]),
    new FakeShell(),
    { isSecret, readCommand: (command) => Promise.resolve(readShellCommand(command)) },
  );
  const secretsOf = async (command: string) => {
    const [question] = (await call("bash", { command })).questions;
    return question?.kind === "command" ? question.secrets : [];
  };
  assert.deepEqual(await secretsOf("cat notes.txt"), [".env"]);
  assert.equal(await secretsOf("cat a.ts missing.txt"), undefined);
});

test("R04: a search of a folder leaves secret-looking files out, in the same words whether one would match or not", async (t) => {
  const folder = await temporaryFolder(t, FILES);
  const call = toolCaller(
    createWorkspace(() => [{ name: "ws", path: folder }]),
    new FakeShell(),
    { isSecret },
  );
  const found = await call("search_text", { pattern: "TOKEN" });
  assert.deepEqual(found.questions, []);
  assert.match(found.content, /a\.ts/);
  assert.doesNotMatch(found.content, /fake-123|\.env\n/);
  const wrong = await call("search_text", { pattern: "fake-12" });
  const right = await call("search_text", { pattern: "fake-99" });
  assert.equal(wrong.content.replace("fake-12", "…"), right.content.replace("fake-99", "…"));
  assert.match(wrong.content, /look secret.*not searched; name one as path/);
});

test("secret-looking files are found in the words of commands, behind =, @ and :", () => {
  const named = (words: readonly string[]) => secretsNamed(words, isSecret);
  assert.deepEqual(named(["--file=.env", "-d@id_rsa", "host:.ssh/id_rsa", "a.ts"]), [
    ".env",
    "id_rsa",
    ".ssh/id_rsa",
  ]);
  assert.deepEqual(named(["cat .env; x"]), [".env"]);
  assert.deepEqual(named(["ls", ".env.example"]), []);
});

test("S03: the default of the secret files is the list of the core, and a folder cannot set what loosens consent or redirects", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
    capabilities: { untrustedWorkspaces: { restrictedConfigurations: readonly string[] } };
    contributes: { configuration: { properties: Record<string, { default: unknown; scope: string }> } };
  };
  const { properties } = manifest.contributes.configuration;
  assert.deepEqual(properties["loom.secretFiles"]?.default, [...SECRET_FILES]);
  // What a folder must not be able to loosen or redirect.
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  for (const name of ["model", "cloudModels", "approvals", "allowedCommands", "secretFiles"]) {
    assert.equal(properties[`loom.${name}`]?.scope, "machine", name);
  }
  // A folder may name it, and it is asked about then; in a remote window that of the machine counts, not that of the laptop.
  assert.equal(properties["loom.address"]?.scope, "machine-overridable");
  for (const name of ["address", "roundLimit", "commandTimeLimit"]) {
    assert.ok(restrictedConfigurations.includes(`loom.${name}`), name);
  }
});
