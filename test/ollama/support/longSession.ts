import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTools } from "../../../src/core/tools";
import { SUMMARY_SENTENCE } from "../../../src/core/window/summaryMessage";
import { createShell } from "../../../src/node/commands/shell";
import { createWorkspace } from "../../../src/node/files/workspace";
import { asksForSummary } from "../../support/asksForSummary";
import { startSession } from "../../support/sessionFixture";
import {
  assertAllWithin,
  estimatorLine,
  MODEL,
  ReadingModel,
  serverUnderTest,
  workLine,
} from "./readingModel";

const TURNS = 3;
const ROUNDS_PER_TURN = 10;
const PASSWORD = "periwinkle-7";
const FILE = "ledger.ts";
/** Some 80,000 tokens. */
const LINES_IN_FILE = 4_000;
const FIRST_LINE = 1_000;

/**
 * Plays a session of 30 rounds that reads a file far larger than the window (num_ctx, tokens) through the real agent loop on the
 * server under test. Throws when a request did not fit or was cut, a result is missing, or what the person said is lost; gives
 * one line on the work and the estimator's error.
 */
export async function playLongSession(numCtx: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "loom-long-"));
  try {
    const lines = Array.from(
      { length: LINES_IN_FILE },
      (_, index) => `export const entry${index} = { amount: ${index % 90}, isPaid: false };`,
    );
    await writeFile(join(folder, FILE), lines.join("\n"));
    return await play(folder, numCtx);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function play(folder: string, numCtx: number): Promise<string> {
  const model = new ReadingModel(serverUnderTest());
  await model.measureCall(lineOf(0), numCtx);
  const tools = createTools({
    workspace: createWorkspace(() => [{ name: "books", path: folder }]),
    shell: createShell(() => folder),
    limits: { commandTimeLimitSeconds: 10 },
  }).filter(({ schema }) => schema.name === "read_file");
  const { session, idle } = startSession(model, {
    tools,
    settings: { model: MODEL, numCtx, summaryRequest: "auto" },
  });
  const calls = callsOfAllRounds();
  for (let turn = 0; turn < TURNS; turn++) {
    const left = calls.splice(0, ROUNDS_PER_TURN);
    model.nextCall = () => left.shift();
    session.send(`t${turn}`, turn === 0 ? `The deploy password is ${PASSWORD}. Read ${FILE}.` : "Read on.");
    await idle();
  }
  const { events } = session;
  assertAllWithin(model, events, numCtx);
  assert.equal(events.filter(({ type }) => type === "tool_result").length, TURNS * ROUNDS_PER_TURN);
  assert.ok(events.every((event) => event.type !== "turn_ended" || event.reason === "done"));
  const forms = events.flatMap((event) => (event.type === "compacted" ? [event.form] : []));
  assert.ok(forms.length > 0, "the conversation outgrew the window");
  const last = model.exchanges.findLast(({ request }) => !asksForSummary(request))?.request.messages ?? [];
  assert.equal(last[0]?.role, "system");
  assert.ok(last[1]?.content.startsWith(SUMMARY_SENTENCE));
  assert.ok(last.some(({ content }) => content.includes(PASSWORD)));
  return `${workLine(model)}, ${forms.length} compactions (${forms.join(", ")}); ${estimatorLine(events)}`;
}

/** One line after the other, and once the whole file, whose result is cut to a quarter of the window. */
function callsOfAllRounds(): Readonly<Record<string, string | number>>[] {
  return Array.from({ length: TURNS * ROUNDS_PER_TURN }, (_, round) =>
    round === 2 ? { path: FILE } : lineOf(round),
  );
}

function lineOf(round: number) {
  return { path: FILE, start_line: FIRST_LINE + round, end_line: FIRST_LINE + round };
}
