import type { ChatModel } from "../../src/core/ports";

/** A model that is always in memory, on a server that does not say with what window. */
export abstract class LoadedModel implements ChatModel {
  abstract chat(...request: Parameters<ChatModel["chat"]>): ReturnType<ChatModel["chat"]>;

  allocatedNumCtx(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  preload(): Promise<boolean> {
    return Promise.resolve(true);
  }

  isLoaded(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
