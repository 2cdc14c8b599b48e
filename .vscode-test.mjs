// The tests of test/host in a real VS Code. `npm test` builds what is named here; the launcher takes the place of VS
// Code's executable, so that the same configuration serves a desktop VS Code and its server form.
import { defineConfig } from "@vscode/test-cli";
import { resolve } from "node:path";

const launcher = process.platform === "win32" ? "launcher.cmd" : "launcher";

export default defineConfig({
  label: "host",
  files: "out/test/host/**/*.test.cjs",
  workspaceFolder: "out/host/workspace",
  useInstallation: { fromPath: resolve(import.meta.dirname, "out", "host", launcher) },
  mocha: {
    ui: "bdd",
    timeout: 120_000,
    reporter: resolve(import.meta.dirname, "out", "test", "host", "support", "reporter.cjs"),
    reporterOptions: { output: resolve(import.meta.dirname, "out", "host", "results.json") },
  },
});
