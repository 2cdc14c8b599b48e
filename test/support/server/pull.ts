import type { ServerResponse } from "node:http";
import type { Model } from "./models";
import { halves, ndjsonLine, play } from "./player";
import type { Fault } from "./reply";

/** A download in pieces of a tenth of the model; what an aborted one had got is there for the next. */
export interface Download {
  readonly model: Model | undefined;
  /** Tenths that earlier downloads have got. */
  readonly done: number;
  readonly onTenth: (tenths: number) => void;
  /** Awaited before each line of progress. */
  readonly before: ((line: number) => Promise<unknown> | undefined) | undefined;
}

/** Answers POST /api/pull: lines of progress to `success`, or Ollama's error for a name that its library lacks. */
export async function playPull(
  response: ServerResponse,
  download: Download,
  sending: { readonly streams: boolean; readonly fault: Fault | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { streams, fault, signal } = sending;
  const lines = progressLines(download);
  const firstTenth = lines.findIndex((line) => "completed" in line);
  const tenths = 10 - download.done;
  const before = async (line: number): Promise<void> => {
    await download.before?.(line);
    if (line > firstTenth && line <= firstTenth + tenths) download.onTenth(download.done + line - firstTenth);
  };
  const last = lines.at(-1) ?? {};
  await play(response, streams ? lines.map(ndjsonLine) : halves(last), {
    contentType: streams ? "application/x-ndjson" : "application/json; charset=utf-8",
    fault,
    before: streams ? before : undefined,
    signal,
  });
}

function progressLines({ model, done }: Download): readonly object[] {
  const first = { status: "pulling manifest" };
  if (!model) return [first, { error: "pull model manifest: file does not exist" }];
  const digest = `sha256:${model.digest}`;
  const status = `pulling ${model.digest.slice(0, 12)}`;
  const tenths = Array.from({ length: 10 - done }, (_, index) => ({
    status,
    digest,
    total: model.size,
    completed: Math.round((model.size * (done + index + 1)) / 10),
  }));
  return [
    first,
    ...tenths,
    { status: "verifying sha256 digest" },
    { status: "writing manifest" },
    { status: "success" },
  ];
}
