import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { measureBundles } from "../../../bench/size";
import { packageFiles } from "../../../scripts/packageFiles";

const bundles = measureBundles();

describe("the size of the built bundles", () => {
  for (const { name, bytes, limit, parts } of bundles) {
    test(`the ${name} bundle is within ${limit / 1000} kB`, () => {
      assert.ok(bytes > 0 && bytes <= limit, `${bytes} bytes`);
    });

    test(`the parts of the ${name} bundle add up to it`, () => {
      assert.equal(
        parts.reduce((sum, part) => sum + part.bytes, 0),
        bytes,
      );
    });
  }
});

test("the package holds the bundles, media and the manifest, nothing else", async () => {
  const { files, foreign, missing } = await packageFiles();
  assert.deepEqual({ foreign, missing }, { foreign: [], missing: [] });
  assert.ok(files.includes("media/icon.png"));
});
