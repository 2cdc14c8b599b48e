/** Anything that holds on to something until it is disposed of; the editor's own disposables have this shape. */
export interface Disposing {
  dispose(): unknown;
}

/** Disposes of all members even when one throws; throws what was thrown, several errors as one AggregateError. */
export function disposeAll(members: readonly Disposing[]): void {
  const errors: unknown[] = [];
  for (const member of members) {
    try {
      member.dispose();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, "Several things could not be disposed of.");
}

/** Owns what it registers and disposes of it, newest first, once. */
export abstract class Disposable implements Disposing {
  readonly #members: Disposing[] = [];
  #isDisposed = false;

  /** Gives `member` back, so that it can be registered on the line that makes it; too late, it is disposed of at once. */
  protected register<Member extends Disposing>(member: Member): Member {
    if (this.#isDisposed) member.dispose();
    else this.#members.push(member);
    return member;
  }

  dispose(): void {
    this.#isDisposed = true;
    disposeAll(this.#members.splice(0).reverse());
  }
}

/** Holds one replaceable disposable: setting another disposes of the one before. */
export class DisposableValue<Value extends Disposing> implements Disposing {
  #held: Value | undefined;

  get value(): Value | undefined {
    return this.#held;
  }

  set value(value: Value | undefined) {
    const before = this.#held;
    this.#held = value;
    if (before !== value) before?.dispose();
  }

  dispose(): void {
    this.value = undefined;
  }
}
