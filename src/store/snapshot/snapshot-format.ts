import type { SnapshotEntry } from "./snapshot-source.ts";

/**
 * A snapshot is one file:
 *
 *     wherry snapshot 1\n
 *     frame…                type 1 byte | length 4 bytes | body
 *
 *     about   first: JSON with the revision and the time
 *     entry   one key: create revision 6 | mod revision 6 | version 6 | expires at 6 (0: never)
 *             | key length 2 | key | value
 *     file    something beside the store, such as a certificate: name length 2 | name | content
 *     sealed  files that are encrypted with a passphrase
 *     end     last: a SHA-256 of all bytes before this frame
 *
 * Numbers are big-endian, text is UTF-8. A frame of another type is of a newer version.
 */
export type SnapshotPart =
  | { readonly type: "about"; readonly about: SnapshotAbout }
  | { readonly type: "entry"; readonly entry: SnapshotEntry }
  | { readonly type: "file"; readonly file: SnapshotFile }
  | { readonly type: "sealed"; readonly sealed: Uint8Array };

export interface SnapshotAbout {
  /** The revision of the entries. */
  readonly revision: number;
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface SnapshotFile {
  /** A path relative to the data directory, with slashes. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** A running SHA-256. */
export interface Digest {
  update(bytes: Uint8Array): void;
  digest(): Uint8Array;
}

/** The file is not a snapshot, damaged, or of a newer version. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
}

/** The maximum length of a frame: a longer one is damaged. */
const longestFrame = 2 ** 30;
const magicText = "wherry snapshot ";
const formatVersion = 1;
const magic = new TextEncoder().encode(`${magicText}${formatVersion}\n`);
const types = { about: 1, entry: 2, file: 3, sealed: 4, end: 5 } as const;

/** Encodes a snapshot, piece by piece. */
export async function* encodeSnapshot(
  parts: AsyncIterable<SnapshotPart>,
  newDigest: () => Digest,
): AsyncGenerator<Uint8Array> {
  const digest = newDigest();
  digest.update(magic);
  yield magic;
  for await (const part of parts) {
    const bytes = frame(types[part.type], bodyOf(part));
    digest.update(bytes);
    yield bytes;
  }
  yield frame(types.end, digest.digest());
}

/**
 * Decodes the parts of a snapshot while its bytes arrive. The checksum comes last: to know that a
 * snapshot is intact before using it, read it twice.
 */
export async function* decodeSnapshot(
  chunks: AsyncIterable<Uint8Array>,
  newDigest: () => Digest,
): AsyncGenerator<SnapshotPart> {
  const input = new Input(chunks);
  const digest = newDigest();
  digest.update(await readMagic(input));
  let first = true;
  for (;;) {
    const head = await input.take(5);
    const view = viewOf(head);
    const [type, length] = [view.getUint8(0), view.getUint32(1)];
    if (length > longestFrame) throw damaged();
    const body = await input.take(length);
    if (type === types.end) {
      if (!sameBytes(body, digest.digest()) || !(await input.atEnd())) throw damaged();
      return;
    }
    digest.update(head);
    digest.update(body);
    const part = partOf(type, body);
    if (first !== (part.type === "about")) throw damaged();
    first = false;
    yield part;
  }
}

/** Encodes files as the body of a frame, which is also the plaintext of a sealed frame. */
export function encodeFiles(files: readonly SnapshotFile[]): Uint8Array {
  return join(files.map((file) => frame(types.file, bodyOf({ type: "file", file }))));
}

/** Decodes the result of `encodeFiles`. */
export function decodeFiles(bytes: Uint8Array): SnapshotFile[] {
  const files: SnapshotFile[] = [];
  for (let at = 0; at < bytes.length; ) {
    const view = viewOf(bytes.subarray(at));
    const length = view.getUint32(1);
    const part = partOf(view.getUint8(0), bytes.subarray(at + 5, at + 5 + length));
    if (part.type !== "file") throw damaged();
    files.push(part.file);
    at += 5 + length;
  }
  return files;
}

function bodyOf(part: SnapshotPart): Uint8Array {
  if (part.type === "sealed") return part.sealed;
  if (part.type === "about") return new TextEncoder().encode(JSON.stringify(part.about));
  if (part.type === "file") return join([...named(part.file.name), part.file.content]);
  const { key, value, createRevision, modRevision, version, expiresAt } = part.entry;
  const numbers = [createRevision, modRevision, version, Math.ceil(expiresAt)].map(uint48);
  return join([...numbers, ...named(key), value]);
}

function partOf(type: number, body: Uint8Array): SnapshotPart {
  try {
    if (type === types.about) return { type: "about", about: readAbout(body) };
    if (type === types.entry) return { type: "entry", entry: readEntry(body) };
    if (type === types.file) {
      const { name, rest } = readNamed(body);
      return { type: "file", file: { name, content: rest } };
    }
  } catch (cause) {
    throw damaged(cause);
  }
  if (type === types.sealed) return { type: "sealed", sealed: body };
  throw damaged();
}

function readAbout(body: Uint8Array): SnapshotAbout {
  const about = JSON.parse(text(body)) as Partial<SnapshotAbout>;
  const { revision, createdAt } = about;
  if (!Number.isSafeInteger(revision) || typeof createdAt !== "string") throw damaged();
  return { revision: revision as number, createdAt };
}

function readEntry(body: Uint8Array): SnapshotEntry {
  const [createRevision, modRevision, version, expiresAt] = [0, 6, 12, 18].map((at) => {
    const view = viewOf(body);
    return view.getUint16(at) * 2 ** 32 + view.getUint32(at + 2);
  }) as [number, number, number, number];
  const { name: key, rest: value } = readNamed(body.subarray(24));
  return { key, value, createRevision, modRevision, version, expiresAt };
}

function readNamed(bytes: Uint8Array): { readonly name: string; readonly rest: Uint8Array } {
  const length = viewOf(bytes).getUint16(0);
  if (bytes.length < 2 + length) throw damaged();
  return { name: text(bytes.subarray(2, 2 + length)), rest: bytes.slice(2 + length) };
}

function named(name: string): Uint8Array[] {
  const bytes = new TextEncoder().encode(name);
  const length = new Uint8Array(2);
  viewOf(length).setUint16(0, bytes.length);
  return [length, bytes];
}

function uint48(value: number): Uint8Array {
  const bytes = new Uint8Array(6);
  const view = viewOf(bytes);
  view.setUint16(0, Math.floor(value / 2 ** 32));
  view.setUint32(2, value % 2 ** 32);
  return bytes;
}

function frame(type: number, body: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(5 + body.length);
  bytes[0] = type;
  viewOf(bytes).setUint32(1, body.length);
  bytes.set(body, 5);
  return bytes;
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

async function readMagic(input: Input): Promise<Uint8Array> {
  const start = await input.take(magic.length).catch((error: unknown) => {
    if (!(error instanceof SnapshotError)) throw error;
    return undefined;
  });
  const found = start === undefined ? undefined : text(start);
  if (start !== undefined && sameBytes(start, magic)) return start;
  throw new SnapshotError(
    found?.startsWith(magicText)
      ? `the snapshot is of a newer format (${Number.parseInt(found.slice(magicText.length), 10)}, and this version reads up to ${formatVersion}): use the version of Wherry that wrote it`
      : "the file is not a snapshot",
  );
}

/** Reads a given number of bytes from chunks of any size. */
class Input {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #have: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(length: number): Promise<Uint8Array> {
    const parts = [this.#have];
    let have = this.#have.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done) throw damaged();
      parts.push(next.value);
      have += next.value.length;
    }
    const bytes = parts.length === 1 ? this.#have : join(parts);
    this.#have = bytes.subarray(length);
    return bytes.subarray(0, length);
  }

  async atEnd(): Promise<boolean> {
    while (this.#have.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#have = next.value;
    }
    return false;
  }
}

function damaged(cause?: unknown): SnapshotError {
  if (cause instanceof SnapshotError) return cause;
  return new SnapshotError("the snapshot is damaged or was cut off: use another one", { cause });
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
