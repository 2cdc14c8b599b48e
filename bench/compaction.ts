import { toolModel } from "../scripts/ollama/recipe";
import { ensureOllama, stopOllama } from "../scripts/ollama/setup";
import type { SummaryRequestSetting } from "../src/core/compaction/summaryForm";
import { parseAddress } from "../src/ollama/address";
import { OllamaModel } from "../src/ollama/ollamaModel";
import { playCompaction, playRounds, type CompactionRun } from "./compaction/play";
import { median, printFigures, type Figure } from "./measure";

const FORMS: readonly SummaryRequestSetting[] = ["isolated", "inPlace", "auto"];

/** The least tokens of the prompt that is compacted; the largest just fits in place into a window of 8,192. */
const SIZES = [2_000, 4_000, 7_000];

/** In place against isolated, and auto against the better of the two: what is aimed at. */
const GOALS = { inPlaceFrom: 4_000, inPlaceShare: 0.25, autoShare: 1.1 } as const;

/**
 * `npm run bench -- compaction [--json] [--times=N] [--sizes=N,N] [--host=URL]`: how long it is on a real Ollama from the beginning of a compaction to the
 * first token of the next answer, in each form of the request, and what is read again between two ordinary rounds.
 */
export async function main(words: readonly string[]): Promise<void> {
  const valueOf = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split("=")[1];
  const host = valueOf("host");
  if (host !== undefined) return measure(host, words, valueOf);
  // As everybody's engine waits: the one that tests leave running gives way to other programs, and writes at a third of the speed.
  await stopOllama();
  process.env["OMP_WAIT_POLICY"] = "active";
  try {
    const { address } = await ensureOllama((line) => console.error(line), { createModels: true });
    await measure(address, words, valueOf);
  } finally {
    await stopOllama();
  }
}

async function measure(
  host: string,
  words: readonly string[],
  valueOf: (name: string) => string | undefined,
): Promise<void> {
  const isJson = words.includes("--json");
  const say = (line: string) => {
    if (!isJson) console.log(line);
  };
  const address = parseAddress(host, "--host");
  if ("error" in address) throw new Error(address.error);
  const model = new OllamaModel({ address });
  const times = Number(valueOf("times") ?? 5);
  say(`${toolModel} at ${address.url}, summaries of 200 tokens, medians of ${times}, the forms in turn\n`);
  say(" prompt  form       time to the next answer   tokens read   expected   took");
  const figures: Figure[] = [];
  const sizes = valueOf("sizes")?.split(",").map(Number) ?? SIZES;
  for (const size of sizes) {
    const runs: CompactionRun[] = [];
    for (let time = 0; time < times; time++) {
      for (const form of FORMS)
        runs.push(
          await playCompaction(model, { form, size, model: toolModel }, (line) => console.error(line)),
        );
    }
    for (const form of FORMS) say(lineOf(form, runs));
    figures.push(...figuresOf(size, runs));
  }
  say("");
  printFigures([...figures, ...(await roundFigures(model))], isJson);
}

function of(
  runs: readonly CompactionRun[],
  form: SummaryRequestSetting,
  pick: (run: CompactionRun) => number,
): number {
  return median(runs.filter((run) => run.form === form).map(pick));
}

function lineOf(form: SummaryRequestSetting, runs: readonly CompactionRun[]): string {
  const seconds = (pick: (run: CompactionRun) => number) => `${(of(runs, form, pick) / 1000).toFixed(2)} s`;
  return [
    String(Math.round(of(runs, form, ({ promptTokens }) => promptTokens))).padStart(7),
    ` ${form.padEnd(10)}`,
    seconds(({ milliseconds }) => milliseconds).padStart(24),
    String(Math.round(of(runs, form, ({ tokensRead }) => tokensRead))).padStart(13),
    seconds(({ predictedMs }) => predictedMs).padStart(10),
    seconds(({ durationMs }) => durationMs).padStart(6),
  ].join(" ");
}

function figuresOf(size: number, runs: readonly CompactionRun[]): Figure[] {
  const time = (form: SummaryRequestSetting) => of(runs, form, ({ milliseconds }) => milliseconds);
  const alone = (form: SummaryRequestSetting) => of(runs, form, ({ durationMs }) => durationMs);
  const tokens = (form: SummaryRequestSetting) => of(runs, form, ({ tokensRead }) => tokensRead);
  const hasGoal = size >= GOALS.inPlaceFrom;
  return [
    // The same on every machine; the times lie above it, since writing the summary takes as long in both forms.
    {
      what: `${size} tokens: tokens read, in place over isolated`,
      value: tokens("inPlace") / tokens("isolated"),
      unit: "times",
    },
    {
      what: `${size} tokens: the summary alone, in place over isolated`,
      value: alone("inPlace") / alone("isolated"),
      unit: "times",
    },
    {
      what: `${size} tokens: in place over isolated`,
      value: time("inPlace") / time("isolated"),
      unit: "times",
      ...(hasGoal ? { limit: GOALS.inPlaceShare } : {}),
    },
    {
      what: `${size} tokens: auto over the better of the two`,
      value: time("auto") / Math.min(time("inPlace"), time("isolated")),
      unit: "times",
      limit: GOALS.autoShare,
    },
  ];
}

async function roundFigures(model: OllamaModel): Promise<Figure[]> {
  const { reread, perRound, appended, millisecondsPerToken } = await playRounds(model, toolModel);
  return [
    {
      what: "20 rounds with tools: tokens read again beyond what was appended",
      value: Math.max(...reread),
      unit: "most",
      limit: 8,
    },
    { what: "  in the median", value: median(reread), unit: "", limit: 4 },
    { what: "  tokens appended by a round, median", value: median(appended), unit: "" },
    { what: "  tokens read by a round, median", value: median(perRound), unit: "" },
    {
      what: "  milliseconds for a token read, by the server's durations",
      value: millisecondsPerToken,
      unit: "ms",
    },
  ];
}
