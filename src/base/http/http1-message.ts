import type { ByteStream } from "../network.ts";
import type { ByteReader } from "./byte-reader.ts";

/** Header names and values in the order in which they are sent; each character is a byte. */
export type HeaderLines = readonly (readonly [name: string, value: string])[];

/** The first value of a header, by its name in lower case. */
export const headerOf = (headers: HeaderLines, name: string): string | undefined =>
  headers.find(([other]) => other.toLowerCase() === name)?.[1];

/** A line among the headers that is not a header. */
export class MalformedHeaderError extends Error {
  override readonly name = "MalformedHeaderError";
}

/** Reads header lines up to the empty line after them; together they may have `limit` bytes. */
export async function readHeaders(reader: ByteReader, limit: number): Promise<HeaderLines> {
  const headers: [string, string][] = [];
  for (let left = limit; ; ) {
    const line = await reader.line(left);
    if (line === undefined) throw new Error("unexpected EOF");
    if (line === "") return headers;
    left -= line.length;
    const last = headers.at(-1);
    const colon = line.indexOf(":");
    if (/^[ \t]/.test(line) && last) last[1] += ` ${line.trim()}`;
    else if (colon <= 0)
      throw new MalformedHeaderError(`malformed MIME header line: ${line.slice(0, 100)}`);
    else headers.push([line.slice(0, colon), line.slice(colon + 1).trim()]);
  }
}

/** A body that ends with the connection. */
export async function* readUntilEnd(reader: ByteReader): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await reader.some(Number.POSITIVE_INFINITY);
    if (!bytes) return;
    yield bytes;
  }
}

/** A body of a known length. */
export async function* readCounted(reader: ByteReader, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const bytes = await reader.some(left);
    if (!bytes) throw new Error("unexpected EOF");
    left -= bytes.length;
    yield bytes;
  }
}

/** A body that comes in chunks; trailers, of at most `limit` bytes, are read and dropped. */
export async function* readChunks(reader: ByteReader, limit: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    const line = await reader.line(maxChunkLine);
    const [, digits] = /^([0-9a-f]{1,13})\s*(?:;.*)?$/i.exec(line ?? "") ?? [];
    if (digits === undefined)
      throw new Error(line === undefined ? "unexpected EOF" : "malformed chunked encoding");
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    yield* readCounted(reader, size);
    if ((await reader.line(2)) !== "") throw new Error("malformed chunked encoding");
  }
  await readHeaders(reader, limit);
}

const maxChunkLine = 4096;

/** Writes a body in chunks, with the empty one that ends it. */
export async function writeChunks(
  stream: ByteStream,
  body: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const piece of body) {
    if (piece.length === 0) continue;
    await stream.write(latin1Bytes(`${piece.length.toString(16)}\r\n`));
    await stream.write(piece);
    await stream.write(lineEnd);
  }
  await stream.write(latin1Bytes("0\r\n\r\n"));
}

/** A start line with header lines after it. */
export const encodeHead = (lines: readonly string[]): Uint8Array =>
  latin1Bytes(`${lines.join("\r\n")}\r\n\r\n`);

/** Encodes Latin-1: each character is a byte. */
const latin1Bytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0));

const lineEnd = latin1Bytes("\r\n");
