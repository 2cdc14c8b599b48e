// `npm run loom`: Loom in a terminal, one message a line from standard input. See USAGE.
import { createInterface } from "node:readline/promises";
import type { ApprovalQuestion } from "../src/shared/live";
import { readArguments, USAGE } from "../src/terminal/arguments";
import { composeTerminal } from "./terminal/compose";

if (process.argv.includes("--help")) {
  console.log(USAGE);
  process.exit(0);
}
const given = readArguments(process.argv.slice(2));
if ("error" in given) fail(`${given.error}\n${USAGE}`, 2);

const isInteractive = process.stdin.isTTY;
const terminal = await composeTerminal(given, { print: (text) => process.stdout.write(text), ask, answer });
if ("error" in terminal) fail(terminal.error, 1);
if (!given.json)
  console.error(
    `Loom on ${terminal.address} with ${terminal.model}, num_ctx ${given.numCtx}. /help lists commands.`,
  );

// Only now: lines that come before somebody listens are lost.
const lines = createInterface({ input: process.stdin, ...(isInteractive ? { output: process.stderr } : {}) });
process.on("SIGINT", () => {
  if (terminal.front.session.isBusy) terminal.front.session.stop();
  else lines.close();
});
for await (const line of lines) await terminal.front.handle(line);
await terminal.close();
process.exitCode = terminal.front.hasFailed ? 1 : 0;

/** What `--yes` says, or the person at the terminal; nothing outside the workspace and no secret is agreed to unseen. */
async function ask(question: ApprovalQuestion): Promise<boolean> {
  if ("error" in given) return false;
  if (given.yes && question.kind !== "outside" && question.kind !== "secret") return true;
  if (!isInteractive) return false;
  return /^y(es)?$/i.test((await lines.question(`${textOf(question)} [y/N] `)).trim());
}

/** What the person at the terminal says; without one what `--yes` does. */
async function answer(question: string, isAgreeable: boolean): Promise<string> {
  if (isInteractive) return (await lines.question(question)).trim().toLowerCase();
  return isAgreeable && !("error" in given) && given.yes ? "y" : "";
}

function textOf(question: ApprovalQuestion): string {
  switch (question.kind) {
    case "edit":
      return `${question.diff}\nChange ${question.path}?`;
    case "command":
      return `In ${question.folder} run: ${question.command}\nRun it?`;
    case "outside":
      return `${question.access} ${question.path}, which is outside the workspace?`;
    case "secret":
      return `${question.access} ${question.path}, which looks like a file with secrets?`;
    case "recovered":
      return `Run ${question.tool} ${question.target}, which the model wrote as text?`;
  }
}

function fail(message: string, code: number): never {
  console.error(message);
  process.exit(code);
}
