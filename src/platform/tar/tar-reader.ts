/** A member of a tar archive. Its content must be read before the next member; the rest is skipped. */
export interface TarEntry {
  readonly name: string;
  readonly type: "file" | "folder" | "symlink" | "hardlink" | "other";
  readonly size: number;
  readonly linkName: string;
  content(): AsyncGenerator<Uint8Array>;
}

/** Reads the members of a tar archive (ustar, pax and GNU) of untrusted origin, one after the other. */
export async function* readTar(
  source: AsyncIterable<Uint8Array>,
  mostEntries = 100_000,
): AsyncGenerator<TarEntry> {
  const input = new Blocks(source);
  let extra: Extra = {};
  for (let count = 0; ; count++) {
    if (count > mostEntries) throw new Error(`the archive has more than ${mostEntries} members`);
    const block = await input.take(512);
    if (block === undefined || block.every((byte) => byte === 0)) return;
    const head = parseHeader(block);
    if (head.letter === "x" || head.letter === "L" || head.letter === "K") {
      extra = { ...extra, ...readExtra(head.letter, await input.takeContent(head.size)) };
      continue;
    }
    const size = extra.size ?? head.size;
    if (head.letter === "g") {
      await input.skip(padded(size));
      continue;
    }
    let left = padded(size);
    const { name = head.name, linkName = head.linkName } = extra;
    // Names are kept until the archive is read.
    if (name.length > longestName || linkName.length > longestName)
      throw new Error("invalid tar header");
    yield {
      name,
      linkName,
      type: types[head.letter] ?? "other",
      size,
      async *content() {
        const end = left - size;
        while (left > end) {
          const chunk = await input.some(left - end);
          left -= chunk.length;
          yield chunk;
        }
      },
    };
    await input.skip(left);
    extra = {};
  }
}

interface Extra {
  readonly name?: string;
  readonly linkName?: string;
  readonly size?: number;
}

const types: Readonly<Record<string, TarEntry["type"]>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hardlink",
  "2": "symlink",
  "5": "folder",
};

const padded = (size: number): number => Math.ceil(size / 512) * 512;

/** The limit of Linux. */
const longestName = 4096;

/** The largest header that may follow the rules of pax or GNU. */
const mostHeaderBytes = 1024 * 1024;

function parseHeader(block: Buffer) {
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (readNumber(block, 148, 8) !== sum) throw new Error("invalid tar header");
  const isUstar = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isUstar ? readText(block, 345, 155) : "";
  const name = readText(block, 0, 100);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: readNumber(block, 124, 12),
    letter: block.toString("latin1", 156, 157),
    linkName: readText(block, 157, 100),
  };
}

function readText(block: Buffer, at: number, length: number): string {
  const text = block.subarray(at, at + length);
  const end = text.indexOf(0);
  return text.toString("utf8", 0, end < 0 ? length : end);
}

/** Octal digits, or GNU's binary form for large numbers. */
function readNumber(block: Buffer, at: number, length: number): number {
  const field = block.subarray(at, at + length);
  let value = 0;
  if (((field[0] ?? 0) & 0x80) !== 0)
    for (const byte of field.subarray(1)) value = value * 256 + byte;
  else {
    const digits = field.toString("latin1").replaceAll(/[\0 ]+$|^ +/g, "");
    if (!/^[0-7]*$/.test(digits)) throw new Error("invalid tar header");
    value = Number.parseInt(digits || "0", 8);
  }
  if (!Number.isSafeInteger(value)) throw new Error("invalid tar header");
  return value;
}

function readExtra(letter: string, content: Buffer): Extra {
  if (letter === "L") return { name: readText(content, 0, content.length) };
  if (letter === "K") return { linkName: readText(content, 0, content.length) };
  let extra: Extra = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(" ", at);
    const length = space < 0 ? Number.NaN : Number(content.toString("latin1", at, space));
    if (!Number.isSafeInteger(length) || length <= space - at || at + length > content.length)
      throw new Error("invalid tar header");
    const record = content.toString("utf8", space + 1, at + length - 1);
    const value = record.slice(record.indexOf("=") + 1);
    if (record.startsWith("path=")) extra = { ...extra, name: value };
    if (record.startsWith("linkpath=")) extra = { ...extra, linkName: value };
    if (record.startsWith("size=")) extra = { ...extra, size: paxSize(value) };
    at += length;
  }
  return extra;
}

function paxSize(text: string): number {
  const size = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw new Error("invalid tar header");
  return size;
}

/** Takes pieces of given lengths from chunks of any length. */
class Blocks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** At least one byte and at most so many; throws at the end. */
  async some(most: number): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) throw new Error("unexpected EOF");
      this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  /** Exactly so many bytes; undefined at the end. */
  async take(length: number): Promise<Buffer | undefined> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0 && left === length) {
        const next = await this.#chunks.next();
        if (next.done) return undefined;
        this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
        continue;
      }
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return Buffer.concat(pieces);
  }

  async takeContent(size: number): Promise<Buffer> {
    if (size > mostHeaderBytes) throw new Error("invalid tar header");
    const content = await this.take(padded(size));
    if (content === undefined && size > 0) throw new Error("unexpected EOF");
    return (content ?? Buffer.alloc(0)).subarray(0, size);
  }

  async skip(bytes: number): Promise<void> {
    for (let left = bytes; left > 0; ) left -= (await this.some(left)).length;
  }
}
