// Runs the test files that are named: node scripts/run.mjs test-one test/unit/session/session.test.ts …
import { buildExtension, runNodeTests } from "./tests/nodeTier";

buildExtension();
const { passed, failed, skipped } = await runNodeTests(process.argv.slice(2), { concurrency: 1 });
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
