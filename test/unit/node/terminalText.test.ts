import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TerminalText } from "../../../src/node/commands/terminalText";

function plain(...pieces: string[]): string {
  const text = new TerminalText();
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
}

const ESC = "\u001B";

test("colours, titles, links, cursor movement and other control sequences are gone", () => {
  assert.equal(plain(`${ESC}[1;31mred${ESC}[0m\n`), "red\n");
  assert.equal(plain(`${ESC}]0;title\u0007a${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\\n`), "alink\n");
  assert.equal(plain(`${ESC}[2J${ESC}[Hhome${ESC}(B${ESC}=${ESC}7\n`), "home\n");
  assert.equal(plain(`\u009B31mred\u009B0m ${ESC}Pdata${ESC}\\x\n`), "red x\n");
  assert.equal(plain("bell\u0007 nul\0 del\u007F tab\tend\n"), "bell nul del tab\tend\n");
});

test("a line that is written over comes once, as it was last; Windows line ends are one line end", () => {
  assert.equal(plain("10%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
  assert.equal(plain("50%\r100%\r\n"), "100%\n");
  assert.equal(plain("wait |\b/\b-\bok"), "wait ok");
  assert.equal(plain("N\bNA\bAM\bME\bE\n"), "NAME\n");
});

test("pieces may be cut anywhere", () => {
  const whole = `${ESC}[1mbold${ESC}[0m 1%\r99%\r\n${ESC}]0;t\u0007x\by\nrest`;
  fc.assert(
    fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 6 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
      assert.equal(plain(...at.slice(1).map((end, index) => whole.slice(at[index], end))), "99%\ny\nrest");
    }),
  );
});

test("nothing that comes out holds a control character, whatever goes in", () => {
  const unit = fc.constantFrom(
    ESC,
    "[",
    "]",
    "0",
    "m",
    ";",
    "\\",
    "\u0007",
    "\r",
    "\n",
    "\b",
    "\0",
    "\u009B",
    "\u009D",
    "P",
    "a",
    "\t",
  );
  fc.assert(
    fc.property(fc.array(fc.string({ unit, maxLength: 20 }), { maxLength: 8 }), (pieces) => {
      assert.doesNotMatch(plain(...pieces), /[^\P{Cc}\t\n]/u);
    }),
  );
});

test("a flood of beginnings of sequences holds nothing up", { timeout: 30_000 }, () => {
  assert.equal(new TerminalText().push(`${"\u009d".repeat(300_000)}${ESC}\n`), "\n");
});

test("a line or a sequence without an end does not gather in memory", () => {
  const text = new TerminalText();
  let came = 0;
  for (let index = 0; index < 100; index += 1) came += text.push("x".repeat(1_000)).length;
  assert.ok(came > 90_000);
  assert.equal(came + text.end().length, 100_000);
  const bar = new TerminalText();
  for (let index = 0; index < 20_000; index += 1) assert.equal(bar.push(`\r${index} %`), "");
  assert.equal(bar.end(), "19999 %");
  const sequence = new TerminalText();
  const passed = Array.from({ length: 100 }, () => sequence.push(`${ESC}]${"y".repeat(1_000)}`)).join("");
  assert.ok(passed.length > 80_000);
});
