import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { estimatorFigures } from "../../../bench/survival";
import { runSurvival, type SurvivalRow } from "../../../bench/survival/grid";

describe("what survives compaction, on a part of the survival bench", () => {
  const rows: SurvivalRow[] = [];
  const all = (pick: (row: SurvivalRow) => number) =>
    rows.map((row) => [row.window, row.length, row.summariser, pick(row)]);
  const wrong = (pick: (row: SurvivalRow) => number, right: number) =>
    all(pick).filter(([, , , value]) => value !== right);

  before(async () => {
    for (const form of ["isolated", "inPlace"] as const) {
      const played = await runSurvival(
        {
          windows: [2048, 4096],
          lengths: [0.5, 2, 10],
          seeds: form === "isolated" ? 2 : 1,
          summarisers: ["perfect", "forgetful", "amnesic", "rambling", "broken"],
          form,
        },
        () => undefined,
      );
      rows.push(...played);
    }
  });

  test("no request is over the window by the server's own count", () => {
    assert.deepEqual(
      wrong(({ overWindow }) => overWindow, 0),
      [],
    );
  });

  test("no call is without its result, no result without its call", () => {
    assert.deepEqual(
      wrong(({ orphans }) => orphans, 0),
      [],
    );
  });

  test("C04: never two compactions with nothing new between, and every turn comes to its end", () => {
    assert.deepEqual(
      wrong(({ loops }) => loops, 0),
      [],
    );
    assert.deepEqual(
      wrong(({ turnsFailed }) => turnsFailed, 0),
      [],
    );
  });

  test("the newest request of the user is in every request, word for word", () => {
    assert.deepEqual(
      wrong(({ withoutRequest }) => withoutRequest, 0),
      [],
    );
  });

  test("C09: exact values that the user typed survive any summariser at all", () => {
    assert.deepEqual(
      wrong(({ needles }) => needles.user, 100),
      [],
    );
  });

  test("with a perfect summariser everything that was shown to the model survives", () => {
    const perfect = rows.filter(({ summariser }) => summariser === "perfect");
    assert.ok(perfect.length > 0);
    for (const { needles } of perfect) assert.deepEqual(needles, { user: 100, tool: 100, decision: 100 });
  });

  test("the base algorithm alone loses needles and sends too much on the same conversations", () => {
    assert.ok(rows.some(({ baseOverWindow }) => baseOverWindow > 0));
    assert.ok(rows.some(({ baseNeedles }) => baseNeedles.user < 100));
  });

  test("prompts are estimated within 5 % in the median, and rarely too low", () => {
    const { medianErrorPercent, underestimatedPerThousand, requests } = estimatorFigures(rows);
    assert.ok(requests > 1000);
    assert.ok(medianErrorPercent < 5, `${medianErrorPercent} %`);
    assert.ok(underestimatedPerThousand < 1, `${underestimatedPerThousand} of 1,000`);
  });
});
