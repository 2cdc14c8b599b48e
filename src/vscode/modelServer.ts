import type { ChatModel } from "../core/ports";
import type { Failure } from "../shared/events";
import type { ModelStatus } from "../shared/protocol";
import type { ServerAddress } from "./settingValues";

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
  /** Tokens. */
  readonly trainedContext: number | undefined;
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
  status(model: string, signal: AbortSignal): Promise<ModelStatus>;
  listModels(signal: AbortSignal): Promise<readonly InstalledModel[] | Failed>;
  show(model: string, signal: AbortSignal): Promise<ModelFacts | Failed>;
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
}

/** The two sides of one server. */
export interface ServerConnection {
  readonly server: ModelServer;
  readonly model: ChatModel;
}

/** Makes the connection; nothing is sent before it is used. */
export type Connect = (options: ConnectionOptions) => ServerConnection;
