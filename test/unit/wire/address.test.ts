import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseAddress, DEFAULT_ADDRESS, parseAddress } from "../../../src/ollama/address";

for (const [text, url, isLoopback] of [
  ["127.0.0.1:11434", "http://127.0.0.1:11434", true],
  ["http://127.0.0.1:11434/", "http://127.0.0.1:11434", true],
  ["  http://127.0.0.1:8080  ", "http://127.0.0.1:8080", true],
  ["localhost", "http://localhost:11434", true],
  ["http://localhost", "http://localhost:11434", true],
  ["http://localhost:80", "http://localhost:80", true],
  ["localhost:80/", "http://localhost:80", true],
  ["0.0.0.0", "http://127.0.0.1:11434", true],
  ["http://0.0.0.0:9999", "http://127.0.0.1:9999", true],
  ["[::]:11434", "http://127.0.0.1:11434", true],
  ["[::1]", "http://[::1]:11434", true],
  [":8080", "http://127.0.0.1:8080", true],
  ["11434", "http://127.0.0.1:11434", true],
  ["gpu-box", "http://gpu-box:11434", false],
  ["192.168.1.5", "http://192.168.1.5:11434", false],
  ["https://ollama.example.com", "https://ollama.example.com:443", false],
  ["https://example.com/ollama/", "https://example.com:443/ollama", false],
  ["http://box:11434/api", "http://box:11434", false],
  ["http://box:11434/v1/", "http://box:11434", false],
  ["HTTP://Box", "http://box:11434", false],
] as const)
  test(`the address ${text} means ${url}`, () => {
    assert.deepEqual(parseAddress(text, "The address"), { url, isLoopback });
  });

for (const text of ["my server", "ftp://box", "http://", "http://box:99999", "://", "vscode://x"])
  test(`"${text}" is no address: the sentence names the field, the value and the way out`, () => {
    const parsed = parseAddress(text, "The setting loom.address");
    assert.ok("error" in parsed, JSON.stringify(parsed));
    assert.ok(parsed.error.startsWith(`The setting loom.address is "${text}"`), parsed.error);
    assert.match(parsed.error, /http:\/\/127\.0\.0\.1:11434/);
  });

test("a password in an address is refused without being repeated", () => {
  const parsed = parseAddress("http://me:periwinkle-7@box", "The address");
  assert.ok("error" in parsed);
  assert.doesNotMatch(parsed.error, /periwinkle/);
  assert.match(parsed.error, /token/);
});

test("the setting goes before OLLAMA_HOST, and that before the default", () => {
  const setting = (text: string): { field: string; text: string } => ({
    field: "The setting loom.address",
    text,
  });
  assert.deepEqual(chooseAddress(setting("box"), "other"), { url: "http://box:11434", isLoopback: false });
  assert.deepEqual(chooseAddress(setting(" "), "other:1"), { url: "http://other:1", isLoopback: false });
  assert.deepEqual(chooseAddress(setting(""), undefined), DEFAULT_ADDRESS);
  assert.deepEqual(chooseAddress(setting(""), ""), DEFAULT_ADDRESS);
  const wrong = chooseAddress(setting(""), "a b");
  assert.ok("error" in wrong);
  assert.match(wrong.error, /OLLAMA_HOST is "a b"/);
});
