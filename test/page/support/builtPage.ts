import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { chatHtml } from "../../../src/vscode/entry/chatHtml";

/** The page as the extension ships it, served over loopback under the content policy that the host gives it. */
export interface BuiltPage {
  readonly address: string;
  close(): Promise<void>;
}

/** Serves the page, which is built into `dist` before tests run, with the document of the host. */
export async function serveBuiltPage(): Promise<BuiltPage> {
  const assets = await readBundle();
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

async function readBundle(): Promise<ReadonlyMap<string, string>> {
  const names = ["page.js", "page.css"];
  const texts = await Promise.all(names.map((name) => readFile(join("dist", name), "utf8")));
  return new Map(names.map((name, index) => [`/${name}`, texts[index] ?? ""]));
}
