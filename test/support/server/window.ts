import { countSegments, createRenderer, type Segment } from "./template";
import type { VersionTraits } from "./version";
import { integerOption, type ChatRequest, type WireMessage } from "./wire";

/** What the server makes of a prompt for a window: what is left of it, or the answer that refuses it. */
export type FittedPrompt =
  | {
      readonly fits: true;
      /** The prompt's tokens after every cut. */
      readonly tokens: readonly string[];
      /** The messages, or their remainders, that are really in those tokens. */
      readonly messages: readonly WireMessage[];
      /** False when the cut took the tool list, which stands at the head of the prompt. */
      readonly keepsTools: boolean;
    }
  | { readonly fits: false; readonly status: number; readonly error: string };

/** The window and the behaviour that a prompt meets. */
export interface WindowRules {
  readonly numCtx: number;
  readonly shift: boolean;
  readonly traits: VersionTraits;
  /** The model has only a Jinja template: llama-server renders, and refuses where others cut. */
  readonly native: boolean;
}

/** Does to a chat request what Ollama does before it evaluates the prompt: keep, drop from the front, cut or refuse. */
export function fitWindow(request: ChatRequest, rules: WindowRules): FittedPrompt {
  const { numCtx, traits } = rules;
  const render = createRenderer(request);
  const all = request.messages ?? [];
  const whole = render(all);
  const largest = traits.newEngine ? numCtx - 1 : numCtx;
  const truncates = !traits.knowsTruncate || request.truncate !== false;
  if (!truncates) {
    const count = countSegments(whole);
    return count <= largest ? kept(whole) : refused(overflowError(count, numCtx, traits.newEngine));
  }
  const remaining = dropFromFront(all, (messages) => countSegments(render(messages)) <= numCtx);
  const segments = render(remaining);
  const count = countSegments(segments);
  if (count <= largest) return kept(segments);
  if (rules.native) return refused(overflowError(count, numCtx, true));
  if (!rules.shift && traits.refusesCutWithoutShift)
    return refused(
      "the prompt is longer than the context length currently available to the model; shorten the prompt or raise num_ctx",
    );
  return cutTokens(segments, {
    total: traits.cutPrompt(numCtx, numKeepOf(request)),
    front: numKeepOf(request),
  });
}

/**
 * The text with which servers refuse a prompt of `count` tokens: a JSON document inside the string since llama-server is the engine,
 * a plain sentence before.
 */
export function overflowError(count: number, numCtx: number, newEngine: boolean): string {
  if (!newEngine) return "the input length exceeds the context length";
  const error = {
    code: 400,
    message: `request (${count} tokens) exceeds the available context size (${numCtx} tokens), try increasing it`,
    type: "exceed_context_size_error",
    n_prompt_tokens: count,
    n_ctx: numCtx,
  };
  return JSON.stringify({ error });
}

/** The prompt_eval_count that gives a silent cut away on servers since 0.30.11: half the window and two tokens. */
export function halfWindowCount(numCtx: number): number {
  return numCtx - Math.floor((numCtx - 4) / 2);
}

function dropFromFront(
  messages: readonly WireMessage[],
  fits: (messages: readonly WireMessage[]) => boolean,
): readonly WireMessage[] {
  for (let start = 0; ; start++) {
    const systems = messages.slice(0, start).filter((message) => message.role === "system");
    const candidate = [...systems, ...messages.slice(start)];
    if (start >= messages.length - 1 || fits(candidate)) return candidate;
  }
}

function kept(segments: readonly Segment[]): FittedPrompt {
  return {
    fits: true,
    tokens: segments.flatMap((segment) => segment.tokens),
    messages: segments.flatMap((segment) => segment.message ?? []),
    keepsTools: true,
  };
}

function cutTokens(segments: readonly Segment[], size: { total: number; front: number }): FittedPrompt {
  const tokens = segments.flatMap((segment) => segment.tokens);
  let room = size.total - size.front;
  const messages: WireMessage[] = [];
  for (const segment of segments.toReversed()) {
    const { message } = segment;
    if (message && room > 0)
      messages.unshift(room >= segment.tokens.length ? message : endOf(message, segment.tokens.slice(-room)));
    room = Math.max(0, room - segment.tokens.length);
  }
  return {
    fits: true,
    tokens: [...tokens.slice(0, size.front), ...tokens.slice(size.front - size.total)],
    messages,
    keepsTools: false,
  };
}

/** What a model sees of a message whose beginning was cut away. */
function endOf(message: WireMessage, tokens: readonly string[]): WireMessage {
  return { role: message.role, content: tokens.slice(0, -2).join("") };
}

function refused(error: string): FittedPrompt {
  return { fits: false, status: 400, error };
}

function numKeepOf(request: ChatRequest): number {
  return integerOption(request.options, "num_keep") ?? 4;
}
