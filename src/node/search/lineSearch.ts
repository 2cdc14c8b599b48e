import { once } from "node:events";
import type * as threads from "node:worker_threads";
import { Worker } from "node:worker_threads";

/** A hit in a text; offsets in UTF-16 code units, `line` from 1. */
export interface Hit {
  readonly line: number;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly at: number;
  readonly length: number;
}

/** Searches some texts after others. */
export interface LineSearch {
  /** False when the undecoded bytes of a file show already that nothing will be found. */
  mayFind(bytes: Buffer): boolean;
  /** The hits of each text, `most` in all; `undefined` when the pattern took too long. */
  find(texts: readonly string[], most: number): Promise<readonly (readonly Hit[])[] | undefined>;
  /** Ends what runs; nothing can be searched afterwards. */
  dispose(): void;
}

/** Finds a text as it is, the first hit of each line. */
export function literalSearch(pattern: string): LineSearch {
  // Only ASCII has the same bytes in all encodings but UTF-16, and line ends differ between files.
  const bytes = /^[\x20-\x7E\t]+$/.test(pattern) ? Buffer.from(pattern) : undefined;
  return {
    mayFind: (content) => bytes === undefined || (content[0] ?? 0) >= 0xfe || content.includes(bytes),
    find(texts, most) {
      let left = most;
      const found = texts.map((text) => {
        const hits = findLiteral(text, pattern, left);
        left -= hits.length;
        return hits;
      });
      return Promise.resolve(found);
    },
    dispose: () => undefined,
  };
}

function findLiteral(text: string, pattern: string, most: number): readonly Hit[] {
  const hits: Hit[] = [];
  let [line, counted] = [1, 0];
  for (let at = text.indexOf(pattern); at >= 0 && hits.length < most;) {
    for (let end = text.indexOf("\n", counted); end >= 0 && end < at; end = text.indexOf("\n", counted)) {
      counted = end + 1;
      line += 1;
    }
    const next = text.indexOf("\n", at);
    const lineEnd = next < 0 ? text.length : next;
    hits.push({ line, lineStart: counted, lineEnd, at, length: pattern.length });
    at = text.indexOf(pattern, lineEnd);
  }
  return hits;
}

/** The regular expression of a pattern, or what is wrong with it. A leading `(?i)` is understood. */
export function readRegExp(pattern: string): RegExp | { readonly error: string } {
  const withoutCase = pattern.startsWith("(?i)");
  const source = withoutCase ? pattern.slice(4) : pattern;
  const flags = withoutCase ? "i" : "";
  // Without the flag `u` these are read as other letters, and nothing is found.
  if (/\[\[:\w+:\]|\\[AGQZhz]/.test(source.replaceAll("\\\\", "")))
    return { error: "[:space:], \\A, \\Z and \\h are unknown, use \\s, \\w, ^ or $" };
  for (const unicode of ["u", ""]) {
    try {
      return new RegExp(source, flags + unicode);
    } catch (error) {
      if (unicode === "") return { error: error instanceof Error ? error.message : String(error) };
    }
  }
  return { error: "it cannot be read" };
}

/**
 * Tests each line with a regular expression on another thread, which is ended when one call takes longer than `timeLimitMs`:
 * an expression that explodes can neither block the host nor run on.
 */
export function regExpSearch({ source, flags }: RegExp, timeLimitMs: number): LineSearch {
  const worker = new Worker(`(${answerSearches.toString()})(require("node:worker_threads"))`, {
    eval: true,
    workerData: { source, flags },
  });
  const ended = new AbortController();
  const end = (): void => ended.abort();
  worker.once("exit", end).once("error", end);
  const started = once(worker, "online", { signal: ended.signal });
  // Nobody waits for the start when the search is over before its first text.
  started.catch(() => undefined);
  return {
    mayFind: () => true,
    async find(texts, most) {
      const late = new AbortController();
      try {
        await started;
        // The time of the thread's own start does not count.
        const timer = setTimeout(() => late.abort(), timeLimitMs);
        const answer = once(worker, "message", { signal: AbortSignal.any([ended.signal, late.signal]) });
        worker.postMessage({ texts, most });
        const [hits] = (await answer.finally(() => clearTimeout(timer))) as [readonly (readonly Hit[])[]];
        return hits;
      } catch {
        await worker.terminate();
        return undefined;
      }
    },
    dispose: () => void worker.terminate(),
  };
}

/** Runs on the other thread, from its source text: it must not use anything outside of itself. */
function answerSearches({ parentPort, workerData }: typeof threads): void {
  const { source, flags } = workerData as { readonly source: string; readonly flags: string };
  const expression = new RegExp(source, flags);
  parentPort?.on("message", (asked: { readonly texts: readonly string[]; readonly most: number }) => {
    let left = asked.most;
    const found = asked.texts.map((text) => {
      const hits: object[] = [];
      let line = 1;
      for (let lineStart = 0; lineStart < text.length && left > 0; line += 1) {
        const next = text.indexOf("\n", lineStart);
        const lineEnd = next < 0 ? text.length : next;
        const match = expression.exec(text.slice(lineStart, lineEnd));
        if (match) {
          hits.push({ line, lineStart, lineEnd, at: lineStart + match.index, length: match[0].length });
          left -= 1;
        }
        lineStart = lineEnd + 1;
      }
      return hits;
    });
    parentPort?.postMessage(found);
  });
}
