import { after, before, describe, test } from "node:test";
import { countsSuite } from "./counts";
import { refusalsSuite } from "./refusals";
import { runnerSuite } from "./runner";
import { stoppingSuite } from "./stopping";
import { windowSuite } from "./window";
import { Wire, type Target } from "./wire";

/** What the parts of the suite are given. */
export interface Conformance {
  /** To be called inside of tests only, when the server is there. */
  readonly wire: () => Wire;
  /** Notes what was seen where servers differ. */
  readonly saw: (question: string, answer: string) => void;
}

/** Where servers differ, what one of them did. */
export type Behaviour = Readonly<Record<string, string>>;

/**
 * Registers the tests of what Loom takes for granted of an Ollama server. What is returned is filled while they run, and printed
 * at their end: what differs between versions is no fault but must be known.
 */
export function describeConformance(
  name: string,
  start: () => Promise<Target & { readonly close: () => Promise<unknown> }>,
): Behaviour {
  const behaviour: Record<string, string> = {};
  let wire: Wire | undefined;
  let close: (() => Promise<unknown>) | undefined;
  const conformance: Conformance = {
    wire: () => {
      if (wire === undefined) throw new Error("The server has not been started.");
      return wire;
    },
    saw: (question, answer) => {
      behaviour[question] = answer;
    },
  };
  // Generous: on a machine whose cores are busy a small model may read a tenth of what it reads on an idle one.
  describe(name, { timeout: 600_000 }, () => {
    before(async () => {
      const target = await start();
      ({ close } = target);
      wire = new Wire(target);
    });
    after(() => close?.());

    describe("counts", () => countsSuite(conformance));
    describe("the window", () => windowSuite(conformance));
    describe("the runner", () => runnerSuite(conformance));
    describe("stopping and waiting", () => stoppingSuite(conformance));
    describe("refusals", () => refusalsSuite(conformance));

    test("says what it saw where versions differ", (context) => {
      for (const [question, answer] of Object.entries(behaviour))
        context.diagnostic(`${question}: ${answer}`);
    });
  });
  return behaviour;
}
