/** Where the server is; `url` has no slash at its end. */
export interface ServerAddress {
  readonly url: string;
  /** The server is on the machine that Loom runs on. */
  readonly isLoopback: boolean;
}

/** The address that a setting means; for an empty text the one of the environment or Ollama's own default. */
export type ChooseAddress = (text: string) => ServerAddress | { readonly error: string };
