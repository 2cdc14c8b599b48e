import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { keepFacts } from "../../../src/core/compaction/kept";
import { DEFAULT_RATES } from "../../../src/core/window/estimate";
import type { LogEvent } from "../../../src/shared/events";
import { anyLog } from "../../support/conversations";

const CAPS = { words: 200, ledger: 100 };

const factsOf = (events: readonly LogEvent[]) => keepFacts(events, undefined, CAPS, DEFAULT_RATES);

/** The same events as other objects, of which nothing can be remembered. */
const factsOfCopy = (events: readonly LogEvent[]) => factsOf(structuredClone(events));

describe("facts of one log after another", () => {
  test("do not depend on which beginnings of the log were asked for before", () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(), { maxLength: 6 }), (log, places) => {
        for (const place of places) {
          const beginning = log.slice(0, place % (log.length + 1));
          assert.deepEqual(factsOf(beginning), factsOfCopy(beginning));
        }
      }),
    );
  });

  test("do not mix logs that begin alike, nor one that some messages are left out of", () => {
    fc.assert(
      fc.property(anyLog, anyLog, fc.nat(), fc.nat(), (log, other, fork, left) => {
        const forked = [...log.slice(0, 1 + (fork % log.length)), ...other.slice(1)];
        const thinned = log.filter((_, index) => index === 0 || index % (2 + (left % 3)) !== 0);
        for (const one of [log, forked, thinned, log.slice(0, -1), forked, log])
          assert.deepEqual(factsOf(one), factsOfCopy(one));
      }),
    );
  });
});
