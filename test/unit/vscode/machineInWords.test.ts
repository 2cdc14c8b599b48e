import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../../src/ollama/address";
import { diagnose } from "../../../src/ollama/failures/failures";
import { ConnectionError } from "../../../src/ollama/wire/wireErrors";
import { machineInWords } from "../../../src/vscode/models/machineInWords";

const say = (text: string, ...values: string[]) => text.replace("{0}", values[0] ?? "");

/** What is said when nothing answers at an address from a window of this kind. */
function refused(remote: string | undefined, text: string): string {
  const address = parseAddress(text, "loom.address");
  assert.ok(!("error" in address));
  const error = new ConnectionError("ECONNREFUSED", "open", new Error("connect ECONNREFUSED"));
  const machine = machineInWords(remote, say);
  return diagnose(error, { address, platform: "linux", machine }).failure.message;
}

for (const [remote, words] of [
  ["wsl", "the WSL machine"],
  ["ssh-remote", "the machine that this window is connected to by SSH"],
  ["dev-container", "the container"],
  ["attached-container", "the container"],
  ["codespaces", "the codespace"],
  ["tunnel", "the remote machine (tunnel)"],
] as const)
  test(`S04: in a window of the kind ${remote}, localhost is said to be ${words}, with both ways out`, () => {
    for (const address of ["localhost", "127.0.0.1:11434", "[::1]"])
      assert.ok(
        refused(remote, address).endsWith(
          `That address means ${words}, where Loom runs: start Ollama there, or enter the address of the machine that it runs on in Loom's settings.`,
        ),
        refused(remote, address),
      );
    assert.doesNotMatch(refused(remote, "http://10.0.0.7"), /That address means/);
  });

for (const remote of [undefined, "127.0.0.1:41234", "localhost:8080"])
  test(`S04: in a window of the kind ${String(remote)} it is the person's own machine, with the way to start Ollama`, () => {
    assert.match(refused(remote, "localhost"), /Start it with `ollama serve`/);
  });
