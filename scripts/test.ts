// `npm test`: every tier that this machine can run. The end says what ran, what did not and why; the last line has the counts.
// The tier in VS Code mostly waits for the editor, so the tiers before it in the list run meanwhile; what it prints comes in its turn.
// With LOOM_TIERS=all (as .ci/run sets it) a tier that cannot run is a failure.
import { constants, setPriority } from "node:os";
import { findBrowser } from "./editor/browser";
import { findDesktop } from "./editor/desktop";
import { runHostTests } from "./hostTests";
import { findOllama, startCachedOllama, stopOllama, toolModel } from "./ollama/setup";
import { buildExtension, runNodeTests, testFiles, type Counts } from "./tests/nodeTier";

/** What a tier came to, or why it did not run. */
type Outcome = Counts | { readonly reason: string };

interface Tier {
  readonly name: string;
  readonly shows: string;
  readonly run: (print: (text: string) => void, onStart: () => void) => Promise<Outcome>;
  /** Starts with the first tier, and prints when its turn comes. */
  readonly startsEarly?: true;
}

const tiers: readonly Tier[] = [
  { name: "unit", shows: "the core, the tools, and the client against the scripted server", run: runUnit },
  { name: "page", shows: "the built page in a browser", run: runPage },
  { name: "host", shows: "the extension in a real VS Code", run: runHost, startsEarly: true },
  { name: "ollama", shows: "a real Ollama with a small model", run: runOllama },
];

async function runUnit(): Promise<Outcome> {
  return runNodeTests(await testFiles("test/unit"), { concurrency: 4, groups: 4 });
}

async function runPage(): Promise<Outcome> {
  const missing = await reasonWithoutBrowser();
  if (missing !== undefined) return { reason: missing };
  return runNodeTests(await testFiles("test/page"), { concurrency: 3, groups: 3 });
}

async function runHost(print: (text: string) => void, onStart: () => void): Promise<Outcome> {
  const missing = findDesktop() === undefined ? await reasonWithoutBrowser() : undefined;
  if (missing !== undefined) return { reason: missing };
  return runHostTests({ isBuilt: true, onOutput: print, onStart });
}

async function runOllama(): Promise<Outcome> {
  const hasTestModel = (models: readonly string[]) => models.some((name) => name.startsWith(toolModel));
  const found = await findOllama();
  const own = found !== undefined && hasTestModel(found.models) ? undefined : await startCachedOllama();
  const server = own ?? found;
  const hint =
    "Run “npm run ollama” once: it sets up a real server with a small model, then run “npm test” again.";
  if (server === undefined) return { reason: `no Ollama answers. ${hint}` };
  try {
    if (!hasTestModel(server.models)) {
      return { reason: `the Ollama at ${server.address} does not have the test model ${toolModel}. ${hint}` };
    }
    process.env["LOOM_TEST_OLLAMA"] = server.address;
    return await runNodeTests(await testFiles("test/ollama"), { concurrency: 1 });
  } finally {
    if (own !== undefined && own.address !== found?.address) await stopOllama();
  }
}

let browser: Promise<string | undefined> | undefined;

/** Looks once for all tiers: a browser that is not there is fetched. */
function reasonWithoutBrowser(): Promise<string | undefined> {
  browser ??= findBrowser().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return browser;
}

/** Starts a tier; what it prints is held back until `show` is called. */
function start(tier: Tier) {
  const held: string[] = [];
  let isShown = false;
  const print = (text: string): void => {
    if (isShown) process.stdout.write(text);
    else held.push(text);
  };
  const started = performance.now();
  let onStart = (): void => undefined;
  const isStarted = new Promise<void>((resolve) => (onStart = resolve));
  const ended = tier
    .run(print, onStart)
    .then((outcome) => ({ outcome, seconds: Math.round((performance.now() - started) / 1000) }));
  // Also for a tier that fails before its turn; whoever waits for it gets the error.
  ended.catch(() => undefined);
  const show = (): void => {
    isShown = true;
    process.stdout.write(held.join(""));
  };
  return { ended, show, isStarted: Promise.race([isStarted, ended.catch(() => undefined)]) };
}

const mustRunAll = process.env["LOOM_TIERS"] === "all";
const wanted = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
buildExtension();
const chosen = tiers.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const early = new Map(chosen.filter(({ startsEarly }) => startsEarly).map((tier) => [tier, start(tier)]));
for (const { isStarted } of early.values()) await isStarted;
// The editor waits for one thing after the other, the tiers beside it only for the processor: so it comes first, and takes longest.
if (early.size > 0) setPriority(constants.priority.PRIORITY_LOW);
for (const tier of chosen) {
  const { name, shows } = tier;
  console.log(`\n── ${name}: ${shows} ──\n`);
  const run = early.get(tier) ?? start(tier);
  run.show();
  const { outcome, seconds } = await run.ended;
  if ("reason" in outcome) {
    summary.push(`${name}: did not run: ${outcome.reason}`);
    if (mustRunAll) total.failed++;
    continue;
  }
  const { passed, failed, skipped } = outcome;
  summary.push(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds} s`);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
}
console.log(`\n${summary.join("\n")}\n`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
