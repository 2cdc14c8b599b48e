import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { readShellCommand } from "../../../src/node/commands/shellSyntax";
import { temporaryFolder } from "../../support/temporaryFolder";

/** Pieces from which command lines are put together, harmless even where a shell makes the most of them. */
const PIECES = [
  "probe",
  "probe",
  "probe",
  "other",
  "third",
  "a",
  "b1",
  "--x=1",
  "-n",
  "''",
  '""',
  "'q r'",
  '"s t"',
  "'",
  '"',
  "\\",
  "`",
  "$(",
  ")",
  "(",
  "${",
  "}",
  "{",
  "$x",
  "$((",
  "))",
  "$'\\n'",
  ";",
  "&&",
  "||",
  "|",
  "&",
  "|&",
  ">",
  ">>",
  "<",
  "<<",
  "<<<",
  "<(",
  ">(",
  "2>",
  "&>",
  "#",
  "!",
  "*",
  "?",
  "[a]",
  "~",
  "=",
  "A=1",
  "EOF",
  "\n",
  "\t",
  " ",
  " ",
  " ",
  " ",
  "if",
  "then",
  "fi",
  "for",
  "do",
  "done",
  "while",
  "case",
  "in",
  "esac",
  "function",
  "f()",
  "[[",
  "]]",
  "((",
  "time",
  "coproc",
  "eval",
  "exec",
  "\u00a0",
  "\u2028",
  "\r",
  "é",
  "%1",
  "^",
  ",",
  "{a,b}",
  "{1..3}",
  "-",
  "--",
  ":",
  ".",
  "true",
  "e\\",
  "@(a)",
  "!!",
  "$0",
  "$@",
];

test("whatever the command line: when it counts as plain, a real shell runs exactly the words that the parser shows", async (t) => {
  const shell = ["/bin/bash", "/usr/bin/bash"].find((path) => spawnSync(path, ["-c", "true"]).status === 0);
  if (shell === undefined) return t.skip("there is no bash here");
  const folder = await temporaryFolder(t);
  const [programs, place, log] = [join(folder, "bin"), join(folder, "place"), join(folder, "log")];
  mkdirSync(programs);
  for (const name of ["probe", "other", "third"]) {
    const script = `#!${shell}\n{ printf '%s\\0' ${name} "$@"; printf '\\1'; } >> ${log}\n`;
    writeFileSync(join(programs, name), script);
    chmodSync(join(programs, name), 0o755);
  }
  let plainOnes = 0;
  const line = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
    .chain((pieces) => fc.constantFrom("", " ").map((glue) => pieces.join(glue)));
  fc.assert(
    fc.property(line, fc.boolean(), (text, hasProbe) => {
      const command = hasProbe ? `probe ${text}` : text;
      const plain = readShellCommand(command)?.plain;
      if (plain === undefined || !["probe", "other", "third"].includes(plain[0] ?? "")) return;
      plainOnes += 1;
      rmSync(log, { force: true });
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place);
      spawnSync(shell, ["--norc", "-c", command], {
        cwd: place,
        env: { PATH: programs, LC_ALL: "C.UTF-8" },
        stdio: "ignore",
        timeout: 10_000,
      });
      const ran = readFileSync(log, "utf8");
      assert.equal(ran, `${plain.join("\0")}\0\x01`, JSON.stringify(command));
      assert.deepEqual(readdirSync(place), [], JSON.stringify(command));
    }),
    { numRuns: 4_000, seed: 20_261_130 },
  );
  assert.ok(plainOnes >= 100, `only ${plainOnes} of the command lines were plain`);
});
