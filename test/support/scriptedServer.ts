import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import type { ChatSettings } from "./server/chat";
import { completeModel, tagged, type Model, type ModelSpec } from "./server/models";
import { DEFAULT_SPEEDS, type ScriptedServerOptions } from "./server/options";
import { answer } from "./server/player";
import { Recorder, type SeenChat, type SeenRequest } from "./server/recorder";
import type { Brain, Fault } from "./server/reply";
import { handleRequest, type ServerState } from "./server/routes";
import { traitsOf } from "./server/version";

export { createGate, scriptReplies, statusFault } from "./server/reply";
export type { Brain, ChatRequestSeen, Delta, Fault, Gate, Reply, ScriptedToolCall } from "./server/reply";
export { isInWindow } from "./server/recorder";
export type { SeenChat, SeenRequest } from "./server/recorder";
export type { ModelSpec } from "./server/models";
export type { ScriptedServerOptions } from "./server/options";
export type { Speeds } from "./server/chunks";
export { countTokens, tokenize } from "./server/tokens";
export { countPrompt } from "./server/template";
export { halfWindowCount, overflowError } from "./server/window";
export type { ChatRequest, WireMessage, WireTool, WireToolCall } from "./server/wire";

/** Starts a server that speaks Ollama's protocol over real HTTP on 127.0.0.1. */
export async function startScriptedServer(options: ScriptedServerOptions = {}): Promise<ScriptedServer> {
  const server = new ScriptedServer(options);
  await server.acceptConnections();
  return server;
}

/** A stand-in for Ollama: enforces the window as Ollama does, answers by script, and remembers what it was asked. */
export class ScriptedServer {
  /** Errors of the script or the server itself; a test that ends with some here has failed. */
  readonly problems: Error[] = [];
  readonly #recorder = new Recorder();
  readonly #sockets = new Set<Socket>();
  readonly #faults = new Map<string, Fault[]>();
  readonly #options: ScriptedServerOptions;
  readonly #state: ServerState;
  #brain: Brain;
  #http: Server | undefined;
  #port: number;

  constructor(options: ScriptedServerOptions) {
    this.#options = options;
    this.#brain = options.brain ?? (() => ({ content: "OK." }));
    this.#port = options.port ?? 0;
    this.#state = {
      options,
      settings: this.#settings(),
      recorder: this.#recorder,
      models: byName(options.models ?? [{ name: "scripted" }]),
      pullable: byName(options.pullable ?? []),
      downloaded: new Map(),
      runners: new Map(),
      startedAt: performance.now(),
      takeFault: (path) => this.#faults.get(path)?.shift(),
    };
  }

  /** The address, such as http://127.0.0.1:40123. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  /** Everything that was asked, in the order of arrival. */
  get requests(): readonly SeenRequest[] {
    return this.#recorder.requests;
  }

  /** How often a loaded runner had to go because a request asked for other options. */
  get reloads(): number {
    return [...this.#state.runners.values()].reduce((sum, runner) => sum + runner.reloads, 0);
  }

  /** Sockets that clients hold open. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  /** The chat requests that had messages, in the order of arrival. */
  chats(): readonly SeenChat[] {
    return this.#recorder.chats;
  }

  /** The requests to one path, such as "/api/show". */
  requestsTo(path: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Forgets all requests that have ended. */
  forget(): void {
    this.#recorder.forget();
  }

  /** Resolves once `count` chats (1 for the first) have arrived, with that one. */
  async waitForChat(count = 1): Promise<SeenChat> {
    return this.#recorder.waitFor(() => this.#recorder.chats[count - 1]);
  }

  /** The chats without messages: they load or unload a model. */
  preloads(): readonly SeenRequest[] {
    return this.requestsTo("/api/chat").filter((request) => !this.chats().some((chat) => chat === request));
  }

  /** Resolves once `count` requests to a path have arrived, with that one. */
  async waitForRequest(path: string, count = 1): Promise<SeenRequest> {
    return this.#recorder.waitFor(() => this.requestsTo(path)[count - 1]);
  }

  /** Resolves once the clients have broken off `count` requests, with that one. */
  async waitForAbort(count = 1): Promise<SeenRequest> {
    return this.#recorder.waitFor(() => this.requests.filter((request) => request.aborted)[count - 1]);
  }

  /** Resolves once no request is being answered any more. */
  async waitForIdle(): Promise<void> {
    await this.#recorder.waitFor(() => (this.requests.every((request) => request.ended) ? true : undefined));
  }

  /** Resolves once no client holds a connection any more. */
  async waitForNoConnections(): Promise<void> {
    await this.#recorder.waitFor(() => (this.#sockets.size === 0 ? true : undefined));
  }

  setBrain(brain: Brain): void {
    this.#brain = brain;
  }

  addModel(spec: ModelSpec): void {
    const model = completeModel(spec);
    this.#state.models.set(model.name, model);
  }

  removeModel(name: string): void {
    this.#state.models.delete(tagged(name));
    this.unload(name);
  }

  /** The model leaves memory, as after its keep_alive; the next request loads it again. */
  unload(name: string): void {
    this.#state.runners.get(tagged(name))?.unload();
  }

  /**
   * The next `times` requests to a path meet this fault; "preload" stands for chats without messages, which "/api/chat" leaves out. A status, and anything before the first piece but `garbage`, comes at once,
   * so that no brain is asked; the others break the answer that would have been given.
   */
  playFault(path: string, fault: Fault, times = 1): void {
    const queue = this.#faults.get(path) ?? [];
    queue.push(...new Array<Fault>(times).fill(fault));
    this.#faults.set(path, queue);
  }

  /** From now on new connections are refused; answers on their way are finished, idle connections closed. */
  refuseConnections(): void {
    const http = this.#http;
    this.#http = undefined;
    http?.close();
    http?.closeIdleConnections();
  }

  /** Listens (again) on the same port. */
  async acceptConnections(): Promise<void> {
    if (this.#http) return;
    const http = createServer((request, response) => void this.#handle(request, response));
    // A test may hold an answer back for as long as it likes.
    http.requestTimeout = 0;
    http.keepAliveTimeout = 0;
    http.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#recorder.changed();
      });
    });
    http.listen(this.#port, "127.0.0.1");
    await once(http, "listening");
    this.#port = (http.address() as AddressInfo).port;
    this.#http = http;
  }

  /** Ends everything, open connections too. */
  async close(): Promise<void> {
    const http = this.#http;
    this.#http = undefined;
    const closed = http ? once(http, "close") : undefined;
    http?.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("finish", () => {
      if (!this.#http) request.socket.end();
    });
    try {
      await handleRequest({ request, response }, this.#state);
    } catch (error) {
      this.problems.push(error instanceof Error ? error : new Error(String(error)));
      if (response.headersSent) response.destroy();
      else answer(response, 500, { error: `scripted server: ${String(error)}` });
    }
  }

  #settings(): ChatSettings {
    const { version = "0.34.2", defaultNumCtx = 4096, maxQueue = 512, speeds } = this.#options;
    return {
      traits: traitsOf(version),
      speeds: { ...DEFAULT_SPEEDS, ...speeds },
      defaultNumCtx,
      maxQueue,
      brain: (request) => this.#brain(request),
      changed: () => this.#recorder.changed(),
      refuseConnections: () => this.refuseConnections(),
    };
  }
}

function byName(specs: readonly ModelSpec[]): Map<string, Model> {
  return new Map(specs.map(completeModel).map((model) => [model.name, model]));
}
