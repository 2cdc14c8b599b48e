import type { ChatModel } from "../../core/ports";
import type { Failure } from "../../shared/events";
import type { ServerStatus } from "../../shared/protocol";
import type { ServerAddress } from "../serverAddress";
import type { Thinking } from "../settingValues";

/** A model that the server has. */
export interface InstalledModel {
  readonly name: string;
  /** Bytes on disk. */
  readonly size: number | undefined;
  /** As the server writes it, e.g. `8.2B`. */
  readonly parameterSize: string | undefined;
  /** E.g. `Q4_K_M`. */
  readonly quantization: string | undefined;
  /** What is sent to it leaves the machine. */
  readonly isCloud: boolean;
}

/** What the server knows of a model. */
export interface ModelFacts {
  /** Undefined when the server does not say. */
  readonly canCallTools: boolean | undefined;
  readonly thinking: "none" | "switch" | "levels";
  readonly canSee: boolean;
  /** What one token of num_ctx costs in memory, in bytes; undefined where the server does not say enough. */
  readonly cacheBytesPerToken: number | undefined;
  /** Tokens. */
  readonly trainedContext: number | undefined;
}

/** A model in the server's memory. */
export interface ModelInMemory {
  /** With its tag. */
  readonly name: string;
  /** Tokens. */
  readonly numCtx: number | undefined;
  /** Bytes in memory, and how many of them on the GPU. */
  readonly size: number | undefined;
  readonly sizeOnGpu: number | undefined;
}

/** How far a download is; the sizes (bytes) are absent while they are not known. */
export interface PullProgress {
  readonly status: string;
  readonly completed?: number;
  readonly total?: number;
}

export type PullOutcome =
  | { readonly type: "done" }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: Failure };

export interface Failed {
  readonly failure: Failure;
}

/** The server apart from chatting: what pickers, messages and the empty panel need. Failures are data. */
export interface ModelServer {
  status(model: string, signal: AbortSignal): Promise<ServerStatus>;
  listModels(signal: AbortSignal): Promise<readonly InstalledModel[] | Failed>;
  show(model: string, signal: AbortSignal): Promise<ModelFacts | Failed>;
  listLoaded(signal: AbortSignal): Promise<readonly ModelInMemory[]>;
  pull(
    model: string,
    onProgress: (progress: PullProgress) => void,
    signal: AbortSignal,
  ): Promise<PullOutcome>;
}

/** What a connection is made from. */
export interface ConnectionOptions {
  readonly address: ServerAddress;
  readonly token: string | undefined;
  readonly log: (line: string) => void;
  /** The machine that Loom runs on when it is not the person's own, in words. */
  readonly machine: string | undefined;
  /** What the person has set; read anew for each request. */
  readonly preferences: () => Preferences;
}

/** What the person has set for the requests of a connection. */
export interface Preferences {
  readonly thinking: Thinking;
  readonly silenceMinutes: number;
  readonly mayLeaveMachine: (model: string) => boolean;
}

/** The two sides of one server. */
export interface ServerConnection {
  readonly server: ModelServer;
  readonly model: ChatModel;
}

/** Makes the connection; nothing is sent before it is used. */
export type Connect = (options: ConnectionOptions) => ServerConnection;
