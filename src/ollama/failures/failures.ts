import type { Failure, FailureKind } from "../../shared/events";
import { isObject, parseJson, textOf } from "../wire/json";
import { Silence } from "../wire/silence";
import { ConnectionError, EndedWithoutDone, ErrorLine, GarbageLine, StatusError } from "../wire/wireErrors";
import { TOOLS_ADVICE, quoted, startAdvice, theModel, theWork, type FailureContext } from "./advice";
import { parseOverflow, type Overflow } from "./overflow";

/** A failure by kind, with what the server said of a prompt that did not fit. */
export interface Diagnosis {
  readonly failure: Failure;
  readonly overflow?: Overflow;
}

/** Says what an error of a request means for the person; never just "fetch failed". */
export function diagnose(error: unknown, context: FailureContext): Diagnosis {
  const { failure, ...rest } = diagnoseError(error, context);
  const { model } = context;
  return { ...rest, failure: model === undefined ? failure : { ...failure, model } };
}

function diagnoseError(error: unknown, context: FailureContext): Diagnosis {
  if (error instanceof ConnectionError) return diagnoseConnection(error, context);
  if (error instanceof StatusError) return diagnoseStatus(error, context);
  if (error instanceof ErrorLine)
    return diagnoseText(error.message, context) ?? midStream(error.message, context);
  const { address } = context;
  if (error instanceof GarbageLine)
    return failed(
      "interrupted_stream",
      `${address.url} sent something that is not Ollama's format in the middle of ${theWork(context)} ("${error.message}"). What came before is kept. Try again; if it happens again, look at what stands between Loom and Ollama.`,
    );
  if (error instanceof SyntaxError && !CUT_JSON.test(error.message)) return notOllama(context);
  if (error instanceof EndedWithoutDone || error instanceof SyntaxError)
    return failed(
      "interrupted_stream",
      `Ollama broke ${theWork(context)} off without a word. What came is kept. Try again.`,
    );
  if (error instanceof Silence)
    return failed(
      "silent",
      `Nothing came from ${address.url} for ${error.minutes} minutes while ${theModel(context)} was to answer, so Loom gave up. Try again, or allow more time (setting loom.silenceLimit).`,
    );
  const text = error instanceof Error ? error.message : String(error);
  return failed("internal", `The request to ${address.url} failed inside Loom: ${quoted(text)}. Try again.`);
}

/** How the parser says that a JSON document ends too early. */
const CUT_JSON = /end of JSON input|Unterminated/;

/** A model that cannot call tools although some are to be offered. */
export function noTools(model: string): Failure {
  return { kind: "no_tools", model, message: `${model} cannot call tools. ${TOOLS_ADVICE}` };
}

/** A model that runs elsewhere and that nobody has agreed to send anything to. */
export function refusedCloud(model: string): Failure {
  const message = `${model} runs in Ollama's cloud: what you send, contents of files among it, would leave this machine. Nothing was sent. Allow it by choosing it once more (Loom: Select Model), or choose a local model.`;
  return { kind: "cloud", model, message };
}

function failed(kind: FailureKind, message: string): Diagnosis {
  return { failure: { kind, message } };
}

function diagnoseConnection(error: ConnectionError, context: FailureContext): Diagnosis {
  const { url } = context.address;
  const { code, phase } = error;
  if (code === "ECONNREFUSED")
    return failed(
      "not_running",
      `Nothing answers at ${url}: Ollama is not running there. ${startAdvice(context)}`,
    );
  if (/^(ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/.test(code))
    return failed(
      "wrong_address",
      `The machine of ${url} cannot be found. Check the address in Loom's settings.`,
    );
  if (/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/.test(code))
    return failed("not_running", `${url} cannot be reached (${code}). ${startAdvice(context)}`);
  if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return failed(
      "wrong_address",
      `No secure connection to ${url} (${quoted(error.message)}). Check whether the address begins with the right one of http:// and https://, and the server's certificate.`,
    );
  if (code.startsWith("HPE_")) return notOllama(context);
  if (phase === "receive")
    return failed(
      "interrupted_stream",
      `The connection to ${url} broke in the middle of ${theWork(context)} (${code}). What came is kept. See whether Ollama still runs, then try again.`,
    );
  return failed(
    "interrupted_stream",
    `${url} closed the connection before it answered (${code}). See whether Ollama still runs, then try again.`,
  );
}

function diagnoseStatus({ status, body, location }: StatusError, context: FailureContext): Diagnosis {
  const parsed = parseJson(body);
  const fields = isObject(parsed) ? parsed : {};
  const text = textOf(fields["error"]) ?? body;
  const { url } = context.address;
  if (location !== undefined)
    return failed("wrong_address", `${url} sends on to ${location}. Enter that address in Loom's settings.`);
  const known = diagnoseText(text, context);
  if (known) return known;
  if (status === 401 || status === 403) return unauthorized(text, textOf(fields["signin_url"]), context);
  // Not tried again by itself: a server whose queue of 512 is full, or a used-up allowance, outlasts any back-off that one would wait.
  if (status === 429 || status === 503)
    return failed("busy", `Ollama at ${url} is busy (${quoted(text)}). Wait a moment, then try again.`);
  if (status === 404 || status === 405 || /^\s*</.test(body)) return notOllama(context);
  return failed(
    "server_error",
    `Ollama at ${url} could not answer${withModel(context)} (status ${status}: ${quoted(text)}). Try again; Ollama's own log says more.`,
  );
}

/** What a text of the server says about a model, wherever it stands: in the body of a refusal or in an error line. */
function diagnoseText(text: string, context: FailureContext): Diagnosis | undefined {
  const { model } = context;
  if (model === undefined) return undefined;
  // First, since it quotes what the model wrote: that may read like any of the others.
  if (TOOL_PARSE.test(text))
    return failed(
      "tool_parse",
      `${model} wrote a tool call that Ollama could not read (${quoted(text)}). Try again, or ask for a smaller step.`,
    );
  const overflow = parseOverflow(text);
  if (overflow) return { failure: windowExceeded(overflow, context), overflow };
  if (text.includes("does not support tools")) return { failure: noTools(model) };
  if (/does not support thinking|invalid think value/.test(text))
    return failed("no_thinking", `${model} cannot think as asked. Switch thinking off in Loom's settings.`);
  if (/model .*not found|invalid model name|file does not exist/.test(text))
    return failed("model_missing", missing(context));
  if (DISK_FULL.test(text))
    return failed(
      "disk_full",
      `The disk of ${context.address.url} is full (${quoted(text)}). Make room there and get ${model} again: what has come so far is kept.`,
    );
  if (LOAD_FAILED.test(text))
    return failed(
      "load_failed",
      `Ollama could not load ${model}${windowText(context)} (${quoted(text)}). Choose a smaller num_ctx or a smaller model.`,
    );
  if (TEMPLATE.test(text))
    return failed(
      "template",
      `The chat template of ${model} could not put this conversation together (${quoted(text)}). Update Ollama and the model (\`ollama pull ${model}\`), or choose another model.`,
    );
  return undefined;
}

function missing({ address, model, isDownload }: FailureContext): string {
  if (isDownload === true)
    return `Ollama's library has no model ${model}. Look its name up at https://ollama.com/library.`;
  return `There is no model ${model} on ${address.url}. Get it with \`ollama pull ${model}\`, or choose another one.`;
}

function withModel({ model }: FailureContext): string {
  return model === undefined ? "" : ` with ${model}`;
}

const TOOL_PARSE = /error parsing tool call|failed to parse JSON|invalid tool call arguments/;

const DISK_FULL = /no space left on device|not enough space|disk (is )?full/i;

const TEMPLATE = /no user query found|^template: |template .*(exec|pars)|jinja|roles must alternate/i;

const LOAD_FAILED =
  /more system memory|out of memory|cudaMalloc|insufficient memory|runner has unexpectedly stopped|runner process has terminated|(unable|failed) to (load|allocate)|error loading|incompatible with your version|timed out waiting for .*(runner|server)|binary not found/i;

function windowText({ numCtx }: FailureContext): string {
  return numCtx === undefined ? "" : ` with num_ctx ${numCtx}`;
}

function windowExceeded({ promptTokens, numCtx }: Overflow, context: FailureContext): Failure {
  const size = promptTokens === undefined ? "" : ` of ${promptTokens} tokens`;
  const window = numCtx ?? context.numCtx;
  const of = window === undefined ? "" : ` of ${window} tokens`;
  return {
    kind: "window_exceeded",
    message: `The prompt${size} does not fit into the context window${of} of ${theModel(context)}. Compact the conversation, or set a larger num_ctx.`,
  };
}

function midStream(text: string, context: FailureContext): Diagnosis {
  return failed(
    "server_error",
    `Ollama gave up in the middle of ${theWork(context)} (${quoted(text)}). What came is kept. Try again.`,
  );
}

function unauthorized(text: string, signInUrl: string | undefined, context: FailureContext): Diagnosis {
  const { url } = context.address;
  if (signInUrl !== undefined)
    return failed(
      "unauthorized",
      `${theModel(context)} runs in Ollama's cloud. Sign in with \`ollama signin\` or at ${signInUrl}.`,
    );
  if (text.includes("cloud"))
    return failed(
      "unauthorized",
      `${theModel(context)} runs in Ollama's cloud, which is refused (${quoted(text)}). Choose a local model.`,
    );
  return failed(
    "unauthorized",
    `${url} asks for a token or does not accept the one that was sent (${quoted(text)}). Enter its token in Loom.`,
  );
}

function notOllama({ address }: FailureContext): Diagnosis {
  return failed(
    "wrong_address",
    `What answers at ${address.url} is not Ollama. Check the address and the port in Loom's settings; Ollama's own port is 11434.`,
  );
}
