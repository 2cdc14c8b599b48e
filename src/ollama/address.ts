/** Where the server is. */
export interface ServerAddress {
  /** Scheme, host, port and path, without a slash at the end. */
  readonly url: string;
  /** The server is on the machine that Loom runs on. */
  readonly isLoopback: boolean;
}

export const DEFAULT_ADDRESS: ServerAddress = { url: "http://127.0.0.1:11434", isLoopback: true };

const OLLAMA_PORT = "11434";

/**
 * Reads an address as people write it: `host`, `host:port`, `:port`, a port alone or a URL. `field` is what the text was
 * entered in, for the sentence that says what is wrong with it.
 */
export function parseAddress(text: string, field: string): ServerAddress | { readonly error: string } {
  const url = toUrl(text.trim());
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === "")
    return { error: `${field} is "${text}", which is not the address of a server. ${EXAMPLE}` };
  if (url.username !== "" || url.password !== "")
    return {
      error: `${field} holds a user name or password. Take it out; a token for the server is kept apart.`,
    };
  return normalise(url, hasPort(text));
}

/** The address to use: the setting if it holds one, else the environment's OLLAMA_HOST, else Ollama's own default. */
export function chooseAddress(
  setting: { readonly field: string; readonly text: string },
  ollamaHost: string | undefined,
): ServerAddress | { readonly error: string } {
  if (setting.text.trim() !== "") return parseAddress(setting.text, setting.field);
  if (ollamaHost !== undefined && ollamaHost.trim() !== "")
    return parseAddress(ollamaHost, "The environment variable OLLAMA_HOST");
  return DEFAULT_ADDRESS;
}

const EXAMPLE = `Write it like ${DEFAULT_ADDRESS.url} or https://ollama.example.com.`;

function toUrl(text: string): URL | undefined {
  // The URL standard reads a number alone as an IPv4 address: 11434 would be 0.0.44.170.
  const withHost = /^:?\d{1,5}(\/|$)/.test(text) ? `127.0.0.1:${text.replace(/^:/, "")}` : text;
  try {
    return new URL(withHost.includes("://") ? withHost : `http://${withHost}`);
  } catch {
    return undefined;
  }
}

function normalise(url: URL, isPortGiven: boolean): ServerAddress {
  const host = /^(0\.0\.0\.0|\[::\])$/.test(url.hostname) ? "127.0.0.1" : url.hostname;
  // A URL with `:80` loses its port when parsed, and the client would use port 80 for `http://localhost`.
  const standard = url.protocol === "https:" ? "443" : isPortGiven ? "80" : OLLAMA_PORT;
  const port = url.port === "" ? standard : url.port;
  const path = url.pathname.replace(/\/+$/, "").replace(/\/(api|v1)$/, "");
  return { url: `${url.protocol}//${host}:${port}${path}`, isLoopback: isLoopback(host) };
}

function hasPort(text: string): boolean {
  return /^([a-z]+:\/\/)?[^/]*:\d+(\/|$)/i.test(text.trim());
}

function isLoopback(host: string): boolean {
  return /^(127(\.\d{1,3}){3}|\[::1\]|localhost|.+\.localhost)$/i.test(host);
}
