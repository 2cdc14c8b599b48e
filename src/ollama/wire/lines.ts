import { isObject, parseJson } from "./json";
import { ErrorLine, GarbageLine } from "./wireErrors";

/**
 * Passes on the lines of a JSON-lines stream that are objects. An error line ends the stream with `ErrorLine`, one that is no
 * object with `GarbageLine`, both after all lines before them have been read. The client would warn on the console about a
 * garbage line and go on, with a hole in the answer that nobody sees. A last line without line end that is cut is left out.
 */
export function checkedLines(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const lines = readLines(body);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await lines.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        await lines.return();
      },
    },
    // Nothing is read ahead: an error would throw away what is queued.
    { highWaterMark: 0 },
  );
}

async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const text = decoder.decode(bytes, { stream: true });
    rest += text;
    // A long line that comes in many pieces is not searched anew with each of them.
    if (!text.includes("\n")) continue;
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    yield* checkLines(lines);
  }
  rest += decoder.decode();
  if (parseJson(rest) !== undefined) yield* checkLines([rest]);
}

function* checkLines(lines: readonly string[]): Generator<Uint8Array, void, undefined> {
  let good = "";
  for (const line of lines) {
    if (line.trim() === "") continue;
    const error = problemOf(line);
    if (error === undefined) {
      good += `${line}\n`;
      continue;
    }
    if (good !== "") yield encoder.encode(good);
    throw error;
  }
  if (good !== "") yield encoder.encode(good);
}

const encoder = new TextEncoder();

/** Characters of a bad line that are kept for the log. */
const SHOWN_CHARACTERS = 120;

function problemOf(line: string): Error | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return new GarbageLine(line.slice(0, SHOWN_CHARACTERS));
  const error = value["error"];
  if (error === undefined) return undefined;
  return new ErrorLine(typeof error === "string" ? error : JSON.stringify(error));
}
