import assert from "node:assert/strict";
import { rawChat, get, type Json, type RawChat } from "../rawClient";

/** A server to talk to, with the two models that the suite needs. */
export interface Target {
  /** Without a slash at the end. */
  readonly url: string;
  /** A model that can be given tools and can't think, trained for TRAINED_TOKENS. */
  readonly toolModel: string;
  /** A model that refuses tools. */
  readonly plainModel: string;
}

/** The trained context of the models. */
export const TRAINED_TOKENS = 8192;

/** The window of requests that name none, in tokens: small, since a small machine reads some hundred tokens a second. */
export const WINDOW = 512;

/** What a request of the suite may say; `undefined` leaves a field out. */
export interface Ask {
  readonly messages: readonly Json[];
  readonly model?: string;
  readonly tools?: readonly Json[] | undefined;
  readonly truncate?: boolean | undefined;
  readonly shift?: boolean | undefined;
  readonly think?: boolean | string | undefined;
  readonly keep_alive?: number;
  readonly numCtx?: number;
  readonly numPredict?: number;
}

/** Requests to a server as Loom sends them, apart from what a test changes. */
export class Wire {
  constructor(readonly target: Target) {}

  /** The body of a request for a chat: nothing is left to chance, and nothing cut in silence, unless the test says so. */
  body({ numCtx = WINDOW, numPredict = 2, ...rest }: Ask): Json {
    const options = { num_ctx: numCtx, num_predict: numPredict, temperature: 0 };
    return { model: this.target.toolModel, stream: true, truncate: false, shift: false, ...rest, options };
  }

  chat(ask: Ask): Promise<RawChat> {
    return rawChat(this.target, this.body(ask));
  }

  /** The server's count of a prompt. */
  async count(ask: Ask): Promise<number> {
    return countOf(await this.chat(ask));
  }

  /** What GET /api/ps says of the model with tools; undefined while it is not loaded. */
  async loaded(): Promise<Json | undefined> {
    const { models } = await get(this.target, "/api/ps");
    const { toolModel } = this.target;
    return (models as readonly Json[]).find(
      ({ name }) => name === toolModel || name === `${toolModel}:latest`,
    );
  }

  /** Unloads the model, so that nothing is cached; resolves when it has gone. */
  async unload(): Promise<RawChat> {
    const answer = await this.chat({ messages: [], keep_alive: 0 });
    // A runner that is ending is still listed.
    while ((await this.loaded()) !== undefined);
    return answer;
  }
}

/** The prompt_eval_count of an answer. */
export function countOf({ status, final }: RawChat): number {
  assert.equal(status, 200, JSON.stringify(final));
  const count = final["prompt_eval_count"];
  assert.ok(typeof count === "number" && count > 0, JSON.stringify(final));
  return count;
}

/** The tokens that were not read again, where the server says so. */
export function cachedOf({ final }: RawChat): number | undefined {
  const cached = final["prompt_eval_cached_count"];
  return typeof cached === "number" ? cached : undefined;
}

/** The error text of a refusal. */
export function errorOf({ final }: RawChat): string {
  const { error } = final;
  assert.ok(typeof error === "string", JSON.stringify(final));
  return error;
}

export function user(content: string): Json {
  return { role: "user", content };
}

export function assistant(content: string): Json {
  return { role: "assistant", content };
}

/** So many sentences of about a dozen tokens; another topic gives another text from its first words on. */
export function sentences(count: number, topic: string): string {
  return Array.from({ length: count }, (_, index) => `${topic} line ${index + 1} says nothing new.`).join(
    " ",
  );
}

/** One small tool, with more schema keywords for a parameter where a test wants them. */
export function readFileTool(extra: Json = {}): Json {
  const path = { type: "string", description: "Relative to the workspace", ...extra };
  const parameters = { type: "object", required: ["path"], properties: { path } };
  return {
    type: "function",
    function: { name: "read_file", description: "Reads a text file.", parameters },
  };
}
