import { constants } from "node:buffer";
import { pipeline, type Readable } from "node:stream";
import { promisify } from "node:util";
import { createGunzip, gunzip } from "node:zlib";
import { onAbort } from "../base/on-abort.ts";
import { parseJsonText } from "../client/json-text.ts";
import { TransportError, type TransportResponse } from "../client/transport.ts";
import { brokenMessage } from "../platform/dial-message.ts";
import { lineSplitter } from "./line-splitter.ts";
import type { Exchange } from "./wire-exchange.ts";

/** The longest response that is read as one value: the longest string. */
const longestValue = constants.MAX_STRING_LENGTH;
/** The longest value in a stream of values, as in client-go. */
const longestLine = 16 << 20;

/** The response of an exchange; the signal aborts its body. */
export function responseOf(exchange: Exchange, signal: AbortSignal | undefined): TransportResponse {
  const { status, headers, body } = exchange;
  const isZipped = headers["content-encoding"] === "gzip";
  body.once(
    "close",
    onAbort(signal, () => exchange.abandon(reasonOf(signal))),
  );

  const bytes = async function* (): AsyncGenerator<Uint8Array> {
    const source: Readable = isZipped ? pipeline(body, createGunzip(), () => {}) : body;
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false }))
        yield chunk as Uint8Array;
      checkWhole(exchange);
    } catch (error) {
      throw faultOf(exchange, error, signal);
    } finally {
      // A reader that stops early ends the call; after the end there is nothing to abort.
      if (!body.readableEnded) exchange.abandon(stopped);
    }
  };

  return {
    status,
    headers,
    bytes,
    async value() {
      const raw = await wholeOf(exchange, signal);
      const whole = isZipped ? await unzipped(raw) : raw;
      if (whole.length === 0) return undefined;
      const text = whole.toString("utf8");
      if (!isJson(headers["content-type"])) return text;
      try {
        return parseJsonText(text);
      } catch (cause) {
        throw new TransportError(`the answer is no JSON: ${(cause as Error).message}`, { cause });
      }
    },
    async *values() {
      const lines = lineSplitter(longestLine);
      for await (const chunk of bytes()) {
        const batch = splitting(() => lines.push(chunk));
        if (batch.length > 0) yield batch.map(event);
      }
      const rest = lines.rest().trim();
      if (rest !== "") yield [lastEvent(rest)];
    },
  };
}

const stopped = new Error("the answer is not wanted any more");

const isJson = (type: string | readonly string[] | undefined): boolean =>
  /^application\/(?:[\w.+-]+\+)?json(?:;|$)/.test(String(type ?? ""));

function splitting<T>(split: () => T): T {
  try {
    return split();
  } catch (cause) {
    throw new TransportError((cause as Error).message, { cause });
  }
}

function event(line: string): unknown {
  try {
    return parseJsonText(line);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new TransportError(`unable to decode an event from the watch stream: ${why}`, { cause });
  }
}

/** The last line needs no line break; an incomplete value means that the stream broke. */
function lastEvent(line: string): unknown {
  try {
    return parseJsonText(line);
  } catch (cause) {
    throw new TransportError("unexpected EOF", { cause });
  }
}

function wholeOf(exchange: Exchange, signal: AbortSignal | undefined): Promise<Buffer> {
  const { body } = exchange;
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const fail = (error: unknown): void => reject(faultOf(exchange, error, signal));
    body.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > longestValue) {
        fail(new Error(`the answer is longer than ${longestValue} bytes`));
        exchange.abandon(stopped);
      }
    });
    body.on("error", fail);
    body.on("end", () => {
      try {
        checkWhole(exchange);
        const [only] = chunks;
        resolve(chunks.length === 1 && only ? (only as Buffer) : Buffer.concat(chunks, size));
      } catch (error) {
        fail(error);
      }
    });
    body.on("close", () => {
      if (!body.readableEnded) fail(new Error("unexpected EOF"));
    });
    if (body.destroyed && !body.readableEnded) fail(body.errored ?? new Error("unexpected EOF"));
  });
}

const unzip = promisify(gunzip);

async function unzipped(bytes: Buffer): Promise<Buffer> {
  if (bytes.length === 0) return bytes;
  try {
    return await unzip(bytes, { maxOutputLength: longestValue });
  } catch (cause) {
    throw new TransportError(`gzip: ${(cause as Error).message}`, { cause });
  }
}

function checkWhole(exchange: Exchange): void {
  const why = exchange.shortened();
  if (why !== undefined) throw new Error(why);
}

/** The error of a body that could not be read: the signal's reason if it was aborted. */
function faultOf(exchange: Exchange, error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof TransportError) return error;
  const why =
    exchange.shortened() ?? (error instanceof Error ? brokenMessage(error) : String(error));
  return new TransportError(broken.has(why) ? "unexpected EOF" : why, { cause: error });
}

/** Node's error code for a body that ended too early. */
const broken: ReadonlySet<string> = new Set([
  "aborted",
  "Premature close",
  "The operation was aborted",
  "unexpected end of file",
]);

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("the call was ended", { cause: reason });
}
