// Runs only the tests that need a real VS Code: `node scripts/run.mjs test-host [arguments of vscode-test]`.
import { runHostTests } from "./hostTests";

const { passed, failed, skipped, output } = await runHostTests({
  parameters: process.argv.slice(2),
  onOutput: (text) => process.stdout.write(text),
});
if (failed > 0) console.error(output.trimEnd().split("\n").at(-1));
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
