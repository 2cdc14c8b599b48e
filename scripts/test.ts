// `npm test`: every tier that this machine can run. The end says what ran, what did not and why; the last line has the counts.
// With LOOM_TIERS=all (as .ci/run sets it) a tier that cannot run is a failure.
import { spawnSync } from "node:child_process";
import { findBrowser } from "./editor/browser";
import { findDesktop } from "./editor/desktop";
import { runHostTests } from "./hostTests";
import { findOllama, startCachedOllama, stopOllama, toolModel } from "./ollama/setup";
import { runNodeTests, testFiles, type Counts } from "./tests/nodeTier";

/** What a tier came to, or why it did not run. */
type Outcome = Counts | { readonly reason: string };

interface Tier {
  readonly name: string;
  readonly shows: string;
  readonly run: () => Promise<Outcome>;
}

const tiers: readonly Tier[] = [
  { name: "unit", shows: "the core, the tools, and the client against the scripted server", run: runUnit },
  { name: "page", shows: "the built page in a browser", run: runPage },
  { name: "host", shows: "the extension in a real VS Code", run: runHost },
  { name: "ollama", shows: "a real Ollama with a small model", run: runOllama },
];

async function runUnit(): Promise<Outcome> {
  return runNodeTests(await testFiles("test/unit"), { concurrency: 2 });
}

async function runPage(): Promise<Outcome> {
  const missing = await reasonWithoutBrowser();
  if (missing !== undefined) return { reason: missing };
  build();
  return runNodeTests(await testFiles("test/page"), { concurrency: 3 });
}

async function runHost(): Promise<Outcome> {
  const missing = findDesktop() === undefined ? await reasonWithoutBrowser() : undefined;
  if (missing !== undefined) return { reason: missing };
  return runHostTests({ onOutput: (text) => process.stdout.write(text) });
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

async function reasonWithoutBrowser(): Promise<string | undefined> {
  try {
    await findBrowser();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function build(): void {
  const { status } = spawnSync(process.execPath, ["esbuild.mjs"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`esbuild.mjs ended with ${status}.`);
}

const mustRunAll = process.env["LOOM_TIERS"] === "all";
const wanted = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
const summary: string[] = [];
for (const { name, shows, run } of tiers) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n── ${name}: ${shows} ──\n`);
  const started = performance.now();
  const outcome = await run();
  const seconds = Math.round((performance.now() - started) / 1000);
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
