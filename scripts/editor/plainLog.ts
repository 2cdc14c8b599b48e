import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Stands in for `@vscode/spdlog`, which needs a native build that the npm package comes without: without it every log and output
 * channel of the server form stays empty. Appends lines to the file that the editor names.
 */
const standIn = `
const { appendFileSync, mkdirSync } = require("node:fs");
const { dirname } = require("node:path");

const names = ["trace", "debug", "info", "warn", "error", "critical"];

class Logger {
  constructor(_type, _name, file) {
    mkdirSync(dirname(file), { recursive: true });
    this.file = file;
    this.level = 0;
    this.isPlain = false;
  }
  getLevel() { return this.level; }
  setLevel(level) { this.level = level; }
  setPattern() {}
  clearFormatters() { this.isPlain = true; }
  flush() {}
  drop() {}
}
names.forEach((name, level) => {
  Logger.prototype[name] = function (message) {
    if (level < this.level) return;
    const time = new Date().toISOString().replace("T", " ").replace("Z", "");
    const word = name === "warn" ? "warning" : name;
    appendFileSync(this.file, this.isPlain ? message : time + " [" + word + "] " + message + "\\n");
  };
});

const create = async (name, file) => new Logger("", name, file);
// One by one, so that they are also found by an import.
exports.version = 0;
exports.Logger = Logger;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.createRotatingLogger = create;
exports.createAsyncRotatingLogger = create;
`;

/** Makes the logs of the server form work; `folder` is that of the server's own packages. */
export async function ensurePlainLog(folder: string): Promise<void> {
  const own = join(folder, "@vscode", "spdlog");
  if (existsSync(join(own, "build", "Release", "spdlog.node"))) return;
  const path = join(own, "index.js");
  if ((await readFile(path, "utf8")) !== standIn) await writeFile(path, standIn);
}
