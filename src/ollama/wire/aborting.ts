/** Why a signal fired, as an error to reject with. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("stopped", { cause: signal.reason });
}

/** Waits for a promise, but rejects as soon as the signal fires. */
export async function unlessAborted(waiting: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(reasonOf(signal));
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    await Promise.race([waiting, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
