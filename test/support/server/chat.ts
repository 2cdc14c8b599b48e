import type { ServerResponse } from "node:http";
import { lastChunk, pacing, piecesOf, type Speeds } from "./chunks";
import { generate } from "./generation";
import { qualifiedName, type Model } from "./models";
import { answer, halves, play, unlessAborted } from "./player";
import type { ChatRecord, RequestRecord } from "./recorder";
import type { Brain, Fault, Reply } from "./reply";
import type { Runner, RunnerSlot } from "./runner";
import { countPrompt } from "./template";
import type { VersionTraits } from "./version";
import { fitWindow, type FittedPrompt } from "./window";
import { integerOption, type ChatRequest } from "./wire";

/** What one request for a model needs of the server. */
export interface ModelRequest {
  readonly request: ChatRequest;
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  readonly signal: AbortSignal;
  readonly model: Model;
  readonly runner: Runner;
  readonly fault: Fault | undefined;
}

/** What all chats of a server share. */
export interface ChatSettings {
  readonly traits: VersionTraits;
  readonly speeds: Speeds;
  readonly defaultNumCtx: number;
  readonly maxQueue: number;
  readonly brain: Brain;
  /** Called after each change of a record. */
  readonly changed: () => void;
  readonly refuseConnections: () => void;
}

/** The window that a request gets of a model, and whether generation may run over its end. */
export function windowOf(
  request: ChatRequest,
  model: Model,
  settings: ChatSettings,
): { numCtx: number; shift: boolean } {
  const asked = integerOption(request.options, "num_ctx") ?? model.modelfileNumCtx ?? settings.defaultNumCtx;
  const numCtx = Math.min(asked, model.contextLength, model.allocated);
  const { knowsTruncate, defaultShift } = settings.traits;
  const shift = (knowsTruncate ? request.shift : undefined) ?? defaultShift(numCtx);
  return { numCtx, shift };
}

/** The 400 that a request gets for something its model cannot do; undefined when it can. */
export function capabilityError(request: ChatRequest, model: Model): string | undefined {
  const { think } = request;
  if (request.tools?.length && !model.capabilities.includes("tools"))
    return `${qualifiedName(request.model)} does not support tools`;
  if (typeof think === "string" && !["low", "medium", "high", "max"].includes(think))
    return `invalid think value: "${think}" (must be "high", "medium", "low", "max", true, or false)`;
  if (think && !model.capabilities.includes("thinking"))
    return `"${request.model}" does not support thinking`;
  return undefined;
}

/** Answers a chat request that has no messages, or keep_alive 0 and none: the model is loaded or unloaded. */
export async function loadOnly(
  chat: ModelRequest,
  settings: ChatSettings,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { request, runner, fault, response, signal } = chat;
  const unloads = isZero(request.keep_alive);
  if (unloads) runner.unload();
  else (await loadRunner(chat, settings)).release();
  const done = {
    model: request.model,
    created_at: new Date().toISOString(),
    ...body,
    done: true,
    done_reason: unloads ? "unload" : "load",
  };
  await play(response, halves(done), { contentType: JSON_TYPE, fault, signal });
}

/** Answers a chat request: waits its turn, fits the prompt into the window, asks the brain, sends its reply. */
export async function chat(
  given: ModelRequest & { record: ChatRecord },
  settings: ChatSettings,
): Promise<void> {
  const { request, response, record, model, runner } = given;
  const prompt = promptInput(request, model);
  if (prompt !== request) record.promptTokens = countPrompt(prompt);
  const fitted = fitWindow(prompt, {
    ...windowOf(request, model, settings),
    traits: settings.traits,
    native: model.native,
  });
  if (fitted.fits) {
    record.windowTokens = fitted.tokens.length;
    record.windowedMessages = fitted.messages;
  }
  settings.changed();
  if (runner.pending >= settings.maxQueue)
    return answer(response, 503, {
      error: "server busy, please try again.  maximum pending requests exceeded",
    });
  const slot = await loadRunner(given, settings);
  try {
    if (!fitted.fits) return answer(response, fitted.status, { error: fitted.error });
    if (model.needsUserMessage && !fitted.messages.some((message) => message.role === "user"))
      return answer(response, 500, { error: "no user query found in messages" });
    await reply(given, settings, { fitted, slot });
    if (isZero(request.keep_alive)) runner.unload();
  } finally {
    slot.release();
  }
}

/** What of a request reaches the template: a model that can't think has no marks for `think: false`. */
function promptInput(request: ChatRequest, model: Model): ChatRequest {
  if (request.think !== false || model.capabilities.includes("thinking")) return request;
  const { think: _, ...rest } = request;
  return rest;
}

const JSON_TYPE = "application/json; charset=utf-8";

async function loadRunner(chat: ModelRequest, settings: ChatSettings): Promise<RunnerSlot> {
  const { request, model, record, runner, signal } = chat;
  const { numCtx, shift } = windowOf(request, model, settings);
  const rest = [...RUNNER_OPTIONS.map((name) => request.options?.[name]), settings.traits.newEngine && shift];
  const slot = await runner.acquire({ numCtx, rest: JSON.stringify(rest) }, signal);
  record.loaded = slot.loaded;
  record.reloaded = slot.reloaded;
  settings.changed();
  return slot;
}

const RUNNER_OPTIONS = ["num_batch", "num_gpu", "main_gpu", "use_mmap", "num_thread", "draft_num_predict"];

async function reply(
  given: ModelRequest & { record: ChatRecord },
  settings: ChatSettings,
  turn: { fitted: FittedPrompt & { fits: true }; slot: RunnerSlot },
): Promise<void> {
  const { request, record, response, signal, model, runner } = given;
  const { fitted, slot } = turn;
  const { traits } = settings;
  const { shift } = windowOf(request, model, settings);
  const caches = !(traits.noCacheWithoutShift && !shift);
  record.cachedTokens = caches ? runner.cachedCount(fitted.tokens) : 0;
  runner.remember(fitted.tokens, traits.newEngine);
  const scripted = await unlessAborted(askBrain(given, settings, turn), signal);
  const generation = generate(scripted, {
    tokens: tokenLimit(request, { prompt: fitted.tokens.length, numCtx: slot.numCtx, shift }),
    withCallIds: traits.toolCallIds,
    callsInDone: model.native,
  });
  if (scripted.thenRefuse) settings.refuseConnections();
  const run = { record, loaded: slot.loaded, generation, scripted, speeds: settings.speeds };
  const pieces = piecesOf(request, generation, lastChunk(run, traits));
  await play(response, pieces, {
    contentType: request.stream === false ? JSON_TYPE : "application/x-ndjson",
    fault: given.fault ?? scripted.fault,
    before: pacing(run, pieces.length, signal),
    signal,
  });
  record.generatedTokens = generation.tokens.length;
  runner.remember([...fitted.tokens, ...generation.tokens], traits.newEngine);
}

async function askBrain(
  given: ModelRequest & { record: ChatRecord },
  settings: ChatSettings,
  turn: { fitted: FittedPrompt & { fits: true }; slot: RunnerSlot },
): Promise<Reply> {
  const { request, record, model, signal } = given;
  const canThink = model.capabilities.includes("thinking");
  return settings.brain({
    messages: turn.fitted.messages,
    tools: turn.fitted.keepsTools ? (request.tools ?? []) : [],
    thinks: canThink && Boolean(request.think ?? settings.traits.thinksByDefault),
    numCtx: turn.slot.numCtx,
    promptTokens: record.windowTokens,
    index: record.index,
    request,
    signal,
  });
}

function tokenLimit(
  request: ChatRequest,
  window: { prompt: number; numCtx: number; shift: boolean },
): number {
  const numPredict = integerOption(request.options, "num_predict") ?? -1;
  const room = window.shift ? 10 * window.numCtx : window.numCtx - window.prompt;
  return numPredict > 0 ? Math.min(numPredict, room) : room;
}

function isZero(keepAlive: ChatRequest["keep_alive"]): boolean {
  return keepAlive === 0 || /^0+[smh]?$/.test(String(keepAlive ?? ""));
}
