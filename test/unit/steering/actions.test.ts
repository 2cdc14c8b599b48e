import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFromPage } from "../../../src/shared/protocol";
import type { SteeringAction } from "../../../src/shared/steeringActions";

const ACTIONS: readonly SteeringAction[] = [
  { do: "compact", focus: "" },
  { do: "undo", compactionId: "c1" },
  { do: "edit_summary", compactionId: "c1" },
  { do: "regenerate", compactionId: "c1", wish: "keep the SQL" },
  { do: "choose_summary", compactionId: "c1", versionId: "v1" },
  { do: "drop_result", resultId: "r1" },
  { do: "restore_result", resultId: "r1" },
  { do: "pin", text: "Never touch legacy/." },
  { do: "unpin", pinId: "p1" },
  { do: "postpone" },
];

test("what the page asks for is read at the border field by field, and anything else is nothing", () => {
  for (const action of ACTIONS) {
    assert.deepEqual(parseFromPage({ type: "steer", action: { ...action, more: 1 } }), {
      type: "steer",
      action,
    });
    for (const field of Object.keys(action)) {
      for (const value of [undefined, 1, null, ["x"], { toString: 1 }]) {
        const broken = { ...action, [field]: value };
        assert.equal(parseFromPage({ type: "steer", action: broken }), undefined, JSON.stringify(broken));
      }
    }
  }
  for (const action of [undefined, null, "undo", [], { do: "constructor" }]) {
    assert.equal(parseFromPage({ type: "steer", action }), undefined);
  }
});
