import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import * as z from "zod/mini";
import type { ModelSpecification } from "./recipe";

const Version = z.object({ version: z.string() });
const Tags = z.object({ models: z.nullable(z.array(z.object({ name: z.string() }))) });

/** How long a server may take to say its version, in milliseconds. */
const answerLimit = 3000;

/** What a server at `address` says of itself; undefined when no Ollama answers there. */
export async function probe(
  address: string,
): Promise<{ readonly version: string; readonly models: readonly string[] } | undefined> {
  try {
    const version = z.safeParse(Version, await get(`${address}/api/version`));
    const tags = z.safeParse(Tags, await get(`${address}/api/tags`));
    if (!version.success || !tags.success) return undefined;
    return { version: version.data.version, models: (tags.data.models ?? []).map(({ name }) => name) };
  } catch {
    return undefined;
  }
}

/** Creates a model on the server from the file of its weights, which is sent only when the server lacks it. */
export async function createModel(
  address: string,
  model: ModelSpecification,
  weights: { readonly path: string; readonly digest: string },
): Promise<void> {
  const digest = `sha256:${weights.digest}`;
  const blob = `${address}/api/blobs/${digest}`;
  if ((await fetch(blob, { method: "HEAD" })).status === 404)
    await expectSuccess(await fetch(blob, { method: "POST", body: await readFile(weights.path) }));
  await post(`${address}/api/create`, {
    model: model.name,
    files: { "weights.gguf": digest },
    ...(model.template !== undefined && { template: model.template }),
    ...(model.parameters !== undefined && { parameters: model.parameters }),
    stream: false,
  });
}

/** Has the model write one token, so that a server whose engine doesn't work is known at once. Throws with its words. */
export async function expectReply(address: string, model: string): Promise<void> {
  await post(`${address}/api/chat`, {
    model,
    messages: [{ role: "user", content: "Hello" }],
    stream: false,
    options: { num_ctx: 2048, num_predict: 1 },
  });
}

async function get(url: string): Promise<unknown> {
  return (await fetch(url, { signal: AbortSignal.timeout(answerLimit) })).json();
}

async function post(url: string, body: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  await expectSuccess(await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function expectSuccess(response: Response): Promise<void> {
  const text = await response.text();
  if (!response.ok)
    throw new Error(`Ollama answers ${response.status} to ${basename(response.url)}: ${text.trim()}`);
}
