import assert from "node:assert/strict";
import { test } from "node:test";
import { Disposable, DisposableValue, disposeAll } from "../../../src/vscode/disposable";

class Owner extends Disposable {
  own(name: string, log: string[]): void {
    this.register({ dispose: () => log.push(name) });
  }
}

const failing = (message: string) => ({
  dispose() {
    throw new Error(message);
  },
});

test("what is registered goes once, the newest first", () => {
  const log: string[] = [];
  const owner = new Owner();
  owner.own("first", log);
  owner.own("second", log);
  owner.dispose();
  owner.dispose();
  assert.deepEqual(log, ["second", "first"]);
});

test("what is registered too late goes at once", () => {
  const log: string[] = [];
  const owner = new Owner();
  owner.dispose();
  owner.own("late", log);
  assert.deepEqual(log, ["late"]);
});

test("a member that throws does not keep the others", () => {
  const log: string[] = [];
  const last = { dispose: () => log.push("last") };
  assert.throws(() => disposeAll([failing("one"), last]), /one/);
  assert.throws(
    () => disposeAll([failing("one"), failing("two"), last]),
    (error) => error instanceof AggregateError && error.errors.length === 2,
  );
  assert.deepEqual(log, ["last", "last"]);
});

test("setting another value disposes of the one before", () => {
  const log: string[] = [];
  const value = new DisposableValue();
  value.value = { dispose: () => log.push("one") };
  value.value = { dispose: () => log.push("two") };
  assert.deepEqual(log, ["one"]);
  value.dispose();
  assert.deepEqual(log, ["one", "two"]);
});
