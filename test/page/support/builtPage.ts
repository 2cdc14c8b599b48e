import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import { build } from "esbuild";
import { chatHtml } from "../../../src/vscode/entry/chatHtml";

/** The page as the extension ships it, served over loopback under the content policy that the host gives it. */
export interface BuiltPage {
  readonly address: string;
  close(): Promise<void>;
}

/** Builds the page and serves it with the document of the host. */
export async function serveBuiltPage(): Promise<BuiltPage> {
  const assets = await bundle();
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const asset = assets.get(path);
    if (asset !== undefined) {
      response.writeHead(200, { "content-type": path.endsWith(".css") ? "text/css" : "text/javascript" });
      response.end(asset);
    } else if (path === "/") {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(document());
    } else {
      response.writeHead(204);
      response.end();
    }
  });
  const port = await listen(server);
  return { address: `http://127.0.0.1:${port}/`, close: () => closed(server) };
}

/** Starts to listen on a free port of loopback and tells it. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** Ends a server and its connections. */
export async function closed(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}

function document(): string {
  return chatHtml({
    cspSource: "'self'",
    nonce: randomBytes(16).toString("base64"),
    scriptUri: "/page.js",
    styleUri: "/page.css",
    language: "en",
    title: "Loom",
  });
}

async function bundle(): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: { page: "webview/main.ts" },
    outdir: "/",
    bundle: true,
    minify: true,
    format: "iife",
    target: "chrome132",
    legalComments: "none",
    write: false,
  });
  return new Map(outputFiles.map(({ path, text }) => [`/${path.split(/[\\/]/).at(-1) ?? ""}`, text]));
}
