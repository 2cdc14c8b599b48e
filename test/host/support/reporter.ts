import { writeFileSync } from "node:fs";
import type { MochaOptions, Runner, Test } from "mocha";

/**
 * Prints each test as it ends and keeps the counts in the file `reporterOptions.output`, since only lines of the
 * console reach the terminal from an extension host. After a crash the file holds what had run, with `isComplete` false.
 */
class HostReporter {
  private readonly counts = { passed: 0, failed: 0, skipped: 0 };

  constructor(runner: Runner, options: MochaOptions) {
    const output = outputOf(options.reporterOptions);
    const save = (isComplete: boolean): void => {
      writeFileSync(output, JSON.stringify({ ...this.counts, isComplete }));
    };
    save(false);
    runner.on("pass", (test: Test) => {
      this.counts.passed++;
      print("✔", `${titleOf(test)} (${test.duration ?? 0} ms)`);
      save(false);
    });
    runner.on("pending", (test: Test) => {
      this.counts.skipped++;
      print("-", titleOf(test));
      save(false);
    });
    runner.on("fail", (test: Test, error: unknown) => {
      this.counts.failed++;
      const known = error instanceof Error ? error : new Error(String(error));
      print("✖", `${titleOf(test)}\n${known.stack ?? known.message}\n`);
      save(false);
    });
    runner.on("end", () => save(true));
  }
}

function outputOf(options: unknown): string {
  if (
    typeof options === "object" &&
    options !== null &&
    "output" in options &&
    typeof options.output === "string"
  ) {
    return options.output;
  }
  throw new Error("The reporter needs reporterOptions.output.");
}

function titleOf(test: Test): string {
  return test.titlePath().join(" › ");
}

/** As one already formatted text, so that a `%` in a title stays one. */
function print(mark: string, text: string): void {
  console.log("%s", `${mark} ${text}`);
}

module.exports = HostReporter;
