import { headerOf } from "../../base/http/http1-message.ts";
import type { HttpResponse } from "./http-client.ts";
import { rewriteHtml } from "./rewrite-html.ts";

/** Larger pages are passed on as they are. */
const pageLimit = 16 * 1024 * 1024;

/** The body of a page with its links rewritten; undefined for other responses. */
export function rewrittenBody(
  { headers, body }: HttpResponse,
  rewrite: (url: string) => string,
): AsyncIterable<Uint8Array> | undefined {
  const type = (headerOf(headers, "content-type") ?? "").split(";")[0]?.trim();
  if (type !== "text/html") return undefined;
  const format = formats.get(headerOf(headers, "content-encoding") ?? "");
  return format === undefined ? undefined : rewritten(body, format, rewrite);
}

type Format = "gzip" | "deflate-raw";

/** The content encodings that can be rewritten. */
const formats: ReadonlyMap<string, Format | ""> = new Map([
  ["", ""],
  ["gzip", "gzip"],
  ["deflate", "deflate-raw"],
]);

async function* rewritten(
  body: AsyncIterable<Uint8Array>,
  format: Format | "",
  rewrite: (url: string) => string,
): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    if (size > pageLimit) {
      yield piece;
      continue;
    }
    pieces.push(piece);
    size += piece.length;
    if (size > pageLimit) yield* pieces.splice(0);
  }
  if (size > pageLimit) return;
  const page = await unpacked(pieces, format);
  const changed = bytesOf(rewriteHtml(textOf(page), rewrite));
  yield format === "" ? changed : await through(new CompressionStream(format), [changed]);
}

async function unpacked(pieces: Uint8Array[], format: Format | "") {
  const whole = concatenate(pieces);
  return format === "" ? whole : through(new DecompressionStream(format), [whole]);
}

/** Limits the decompressed size: a small body may expand to a huge page. */
async function through(
  transform: { readonly readable: ReadableStream; readonly writable: WritableStream },
  pieces: readonly Uint8Array[],
): Promise<Uint8Array> {
  const writer = transform.writable.getWriter();
  const writing = (async () => {
    for (const piece of pieces) await writer.write(piece);
    await writer.close();
  })();
  const out: Uint8Array[] = [];
  let size = 0;
  const reader = transform.readable.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    out.push(value);
    size += value.length;
    if (size > 4 * pageLimit) {
      writing.catch(() => {});
      await reader.cancel();
      throw new Error("the page is too large to rewrite its links");
    }
  }
  await writing;
  return concatenate(out);
}

/** Decodes one character per byte, so that text in any encoding is unchanged. */
function textOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return text;
}

function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
