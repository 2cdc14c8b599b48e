import type { IncomingMessage, ServerResponse } from "node:http";
import { capabilityError, chat, loadOnly, type ChatSettings, type ModelRequest } from "./chat";
import { psEntry, showBody, tagged, tagsEntry, type Model } from "./models";
import { answer, halves, play, unlessAborted } from "./player";
import { playPull } from "./pull";
import { ChatRecord, RequestRecord, type Recorder } from "./recorder";
import type { Fault } from "./reply";
import { Runner } from "./runner";
import type { ScriptedServerOptions } from "./options";
import { isObject, parseChat, type ParsedChat } from "./wire";

/** What a running server knows; the routes read it and change what requests change. */
export interface ServerState {
  readonly options: ScriptedServerOptions;
  readonly settings: ChatSettings;
  readonly recorder: Recorder;
  readonly models: Map<string, Model>;
  readonly pullable: ReadonlyMap<string, Model>;
  /** Tenths of each model that broken-off pulls have got. */
  readonly downloaded: Map<string, number>;
  readonly runners: Map<string, Runner>;
  readonly startedAt: number;
  /** The next fault that a test has ordered for a path, used up by asking. */
  readonly takeFault: (path: string) => Fault | undefined;
}

interface Exchange {
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly fault: Fault | undefined;
}

type Route = (exchange: Exchange, state: ServerState) => Promise<void> | void;

/** Records one request and answers it; resolves when the answer is out or the client has gone. */
export async function handleRequest(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  state: ServerState,
): Promise<void> {
  const body = await readBody(request);
  const record = recordOf({ request, response, body }, state);
  const controller = new AbortController();
  const progress = { isHandled: false, isClosed: false };
  const noteEnd = (): void => {
    record.ended = progress.isHandled && progress.isClosed;
    state.recorder.changed();
  };
  response.on("close", () => {
    record.aborted = !progress.isHandled && !response.writableFinished;
    progress.isClosed = true;
    controller.abort(new Error("the client closed the connection"));
    noteEnd();
  });
  try {
    const { signal } = controller;
    const fault = await earlyFault(response, state.takeFault(faultName(record)), signal);
    if (fault === "over") return;
    await dispatch({ response, record, body, signal, fault }, state);
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    progress.isHandled = true;
    noteEnd();
  }
}

/** A chat without messages, which only loads the model, has faults of its own. */
function faultName(record: RequestRecord): string {
  return record.path === "/api/chat" && !(record instanceof ChatRecord) ? "preload" : record.path;
}

const ROUTES: Readonly<Record<string, Route>> = {
  "GET /": ({ response }) => answer(response, 200, "Ollama is running"),
  "HEAD /": ({ response }) => answer(response, 200, ""),
  "GET /api/version": (exchange, { options }) =>
    sendJson(exchange, { version: options.reportedVersion ?? options.version ?? "0.34.2" }),
  "GET /api/tags": (exchange, { models, settings }) =>
    sendJson(exchange, { models: [...models.values()].map((model) => tagsEntry(model, settings.traits)) }),
  "GET /api/ps": (exchange, state) => sendJson(exchange, { models: loadedModels(state) }),
  "POST /api/show": show,
  "POST /api/chat": async (exchange, state) => {
    await forModel(exchange, state, parseChat(exchange.body));
  },
  "POST /api/generate": generate,
  "POST /api/pull": pull,
};

async function dispatch(exchange: Exchange, state: ServerState): Promise<void> {
  const { record, response } = exchange;
  const { token } = state.options;
  if (token !== undefined && record.headers.authorization !== `Bearer ${token}`)
    return answer(response, 401, { error: "unauthorized" });
  const route = ROUTES[`${record.method} ${record.path}`];
  if (!route) return answer(response, 404, "404 page not found");
  await route(exchange, state);
}

function recordOf(
  came: { request: IncomingMessage; response: ServerResponse; body: unknown },
  { recorder, startedAt }: ServerState,
): RequestRecord {
  const { request, response, body } = came;
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  const { method = "GET", headers } = request;
  const seen = { path, method, headers, body, at: performance.now() - startedAt };
  const parsed = path === "/api/chat" ? parseChat(body) : undefined;
  const isChat = parsed && "request" in parsed && parsed.request.messages?.length;
  const record = isChat
    ? new ChatRecord(seen, response, { index: recorder.chats.length, request: parsed.request })
    : new RequestRecord(seen, response);
  recorder.requests.push(record);
  if (record instanceof ChatRecord) recorder.chats.push(record);
  recorder.changed();
  return record;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Plays what comes before any brain is asked; what remains of the fault is for the answer. */
async function earlyFault(
  response: ServerResponse,
  fault: Fault | undefined,
  signal: AbortSignal,
): Promise<Fault | undefined | "over"> {
  if (!fault || fault.kind === "garbage") return fault;
  if (fault.kind !== "status" && fault.afterChunks > 0) return fault;
  if (fault.kind === "hang") {
    await unlessAborted(fault.until ?? new Promise<never>(() => undefined), signal);
    return undefined;
  }
  await play(response, [""], { contentType: "application/x-ndjson", fault, signal });
  return "over";
}

async function sendJson({ response, fault, signal }: Exchange, body: object): Promise<void> {
  await play(response, halves(body), { contentType: "application/json; charset=utf-8", fault, signal });
}

function loadedModels({ models, runners, settings }: ServerState): readonly object[] {
  return [...models.values()].flatMap((model) => {
    const numCtx = runners.get(model.name)?.numCtx;
    return numCtx === undefined ? [] : [psEntry(model, numCtx, settings.traits)];
  });
}

async function show(exchange: Exchange, { models, settings }: ServerState): Promise<void> {
  const name = modelName(exchange.body);
  if (name === "") return answer(exchange.response, 400, { error: "model is required" });
  const model = models.get(tagged(name));
  if (!model) return answer(exchange.response, 404, { error: `model '${tagged(name)}' not found` });
  await sendJson(exchange, showBody(model, settings.traits));
}

async function generate(exchange: Exchange, state: ServerState): Promise<void> {
  const body = isObject(exchange.body) ? exchange.body : {};
  if (body["prompt"])
    return answer(exchange.response, 501, { error: "the scripted server only loads and unloads here" });
  await forModel(exchange, state, parseChat({ ...body, messages: [] }), { response: "" });
}

async function forModel(
  exchange: Exchange,
  state: ServerState,
  parsed: ParsedChat,
  loadBody: Readonly<Record<string, unknown>> = { message: { role: "assistant", content: "" } },
): Promise<void> {
  const { response, record } = exchange;
  if ("refusal" in parsed) return answer(response, 400, { error: parsed.refusal });
  const { request } = parsed;
  const model = state.models.get(tagged(request.model));
  if (!model) return answer(response, 404, { error: `model '${request.model}' not found` });
  const error = capabilityError(request, model);
  if (error) return answer(response, 400, { error });
  const runner = state.runners.get(model.name) ?? new Runner(state.options.parallel ?? 1);
  state.runners.set(model.name, runner);
  const given: ModelRequest = { ...exchange, request, model, runner };
  if (record instanceof ChatRecord) await chat({ ...given, record }, state.settings);
  else await loadOnly(given, state.settings, loadBody);
}

async function pull(exchange: Exchange, state: ServerState): Promise<void> {
  const { body, response } = exchange;
  const name = tagged(modelName(body));
  const model = state.pullable.get(name) ?? state.models.get(name);
  await playPull(
    response,
    {
      model,
      done: state.downloaded.get(name) ?? 0,
      onTenth: (tenths) => {
        state.downloaded.set(name, tenths);
        if (tenths === 10 && model) state.models.set(name, model);
      },
      before: state.options.beforePullLine,
    },
    { ...exchange, streams: !(isObject(body) && body["stream"] === false) },
  );
}

function modelName(body: unknown): string {
  if (!isObject(body)) return "";
  const name = body["model"] ?? body["name"];
  return typeof name === "string" ? name : "";
}
