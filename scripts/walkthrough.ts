// `npm run walkthrough`: tells the agent a password, has it read files until the conversation is compacted by itself, and asks
// for the password. On the Ollama that is found (a model can be named: --model NAME), else on the rehearsal model.
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { REHEARSAL_MODEL, startRehearsalServer } from "../test/support/rehearsal";
import { findOllama } from "./ollama/setup";
import { composeTerminal } from "./terminal/compose";

const NUM_CTX = 4096;
const PASSWORD = "periwinkle-7";

const { values } = parseArgs({
  options: {
    host: { type: "string", default: "" },
    model: { type: "string", default: "" },
    rehearsal: { type: "boolean", default: false },
  },
});

const found = values.rehearsal || values.host !== "" ? undefined : await findOllama();
const rehearsal = found === undefined && values.host === "" ? await startRehearsalServer() : undefined;
if (rehearsal !== undefined)
  console.log("No Ollama answers: this runs on the rehearsal model, which is not an AI.");
const workspace = await mkdtemp(join(tmpdir(), "loom-walkthrough-"));
try {
  await cp(join("scripts", "sample"), workspace, { recursive: true });
  process.exitCode = (await walk(workspace)) ? 0 : 1;
} finally {
  await rm(workspace, { recursive: true, force: true });
  await rehearsal?.close();
}

/** True when the password was told and the meter fell by more than half. */
async function walk(folder: string): Promise<boolean> {
  const host = rehearsal?.url ?? (values.host === "" ? (found?.address ?? "") : values.host);
  const model = rehearsal === undefined ? values.model : REHEARSAL_MODEL;
  const terminal = await composeTerminal(
    { host, model, numCtx: NUM_CTX, workspace: folder, request: "auto", yes: true, json: false },
    {
      print: (text) => process.stdout.write(text),
      ask: () => Promise.resolve(true),
      answer: () => Promise.resolve("y"),
    },
  );
  if ("error" in terminal) {
    console.error(terminal.error);
    return false;
  }
  const { front } = terminal;
  const say = async (text: string) => {
    console.log(`\n> ${text}`);
    await front.handle(text);
  };
  await say(`The deploy password is ${PASSWORD}. Remember it.`);
  for (const file of await sampleFiles(folder)) {
    if (compactions(front.session.events) > 0) break;
    await say(`Read ${file} and tell me in one sentence what it is for.`);
  }
  await say("What is the deploy password?");
  const answer = front.session.view.entries.findLast(({ kind }) => kind === "assistant");
  const marker = front.session.view.entries.findLast(({ kind }) => kind === "compaction");
  await terminal.close();
  const knows = answer?.kind === "assistant" && answer.text.includes(PASSWORD);
  const hasFallen = marker?.kind === "compaction" && marker.after.tokens < marker.event.before.tokens / 2;
  console.log(`\n${knows ? "✔" : "✖"} the password was told after the compaction`);
  const fall =
    marker?.kind === "compaction"
      ? `${marker.event.before.tokens} → ${marker.after.tokens}`
      : "no compaction";
  console.log(`${hasFallen ? "✔" : "✖"} the meter fell by more than half (${fall})`);
  return knows && hasFallen;
}

function compactions(events: readonly { readonly type: string }[]): number {
  return events.filter(({ type }) => type === "compacted").length;
}

async function sampleFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== "README.md" && !entry.name.startsWith("."))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}
