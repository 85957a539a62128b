import { type PaxRecords, parsePaxRecords } from "./pax-records.ts";
import type { TarEntry } from "./tar-entry.ts";
import {
  blockBytes,
  hasBody,
  paddingOf,
  parseTarHeader,
  type TarHeader,
  tarNumber,
} from "./tar-header.ts";

/** Receives the entries of an archive in order, each followed by its data in pieces. */
export interface TarSink {
  entry(entry: TarEntry): void;
  data(bytes: Buffer): void;
  /** All data of the latest entry has come. */
  entryEnd(): void;
}

/**
 * Reads an archive piece by piece. Data is handed on without copying. An archive ends with two empty blocks, or
 * with its last entry, as container tools write it; what follows the empty blocks is not looked at.
 */
export class TarReader {
  readonly #sink: TarSink;
  /** The bytes of an incomplete header or of the body of a special header, and how many they will be. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = blockBytes;
  #state: State = "header";
  /** Of the current entry: data to come, then padding to come. */
  #dataLeft = 0;
  #paddingLeft = 0;
  #special: TarHeader | undefined;
  #longName: string | undefined;
  #longLink: string | undefined;
  #pax: PaxRecords | undefined;
  #sparse: { readonly header: TarHeader; readonly blocks: Buffer[] } | undefined;

  constructor(sink: TarSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length && this.#state !== "done")
      at += this.#state === "data" ? this.#takeData(chunk, at) : this.#take(chunk, at);
  }

  /** Throws if the archive ends within an entry. */
  end(): void {
    const isComplete =
      this.#state === "done" ||
      this.#state === "zero" ||
      (this.#state === "header" && this.#heldBytes === 0 && !this.#expectsEntry());
    if (!isComplete) throw new Error("unexpected EOF: the archive ends within an entry");
  }

  #expectsEntry(): boolean {
    return [this.#longName, this.#longLink, this.#pax].some((one) => one !== undefined);
  }

  #takeData(chunk: Buffer, at: number): number {
    const data = Math.min(this.#dataLeft, chunk.length - at);
    if (data > 0) this.#sink.data(chunk.subarray(at, at + data));
    this.#dataLeft -= data;
    const padding = Math.min(this.#paddingLeft, chunk.length - at - data);
    this.#paddingLeft -= padding;
    if (this.#dataLeft + this.#paddingLeft === 0) this.#endEntry();
    return data + padding;
  }

  #take(chunk: Buffer, at: number): number {
    const piece = chunk.subarray(at, at + this.#wanted - this.#heldBytes);
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes < this.#wanted) return piece.length;
    const bytes = this.#held.length === 1 ? piece : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#wanted = blockBytes;
    this.#takeBlock(bytes);
    return piece.length;
  }

  #takeBlock(bytes: Buffer): void {
    if (this.#state === "special") this.#endSpecial(bytes);
    else if (this.#state === "sparse") this.#extendSparse(Buffer.from(bytes));
    else if (isZero(bytes)) this.#state = this.#state === "zero" ? "done" : "zero";
    else if (this.#state === "zero") throw new Error("invalid tar header: a lone zero block");
    else this.#beginHeader(parseTarHeader(bytes), bytes);
  }

  #beginHeader(header: TarHeader, block: Buffer): void {
    switch (header.type) {
      case "pax":
      case "paxGlobal":
      case "longName":
      case "longLink":
        this.#beginSpecial(header);
        break;
      case "oldSparse":
        this.#sparse = { header, blocks: [] };
        this.#extendSparse(Buffer.from(block));
        break;
      default:
        this.#beginEntry({ ...header, type: header.type });
    }
  }

  #beginSpecial(header: TarHeader): void {
    if (header.size > largestSpecial) throw new Error("invalid tar header: too large");
    this.#special = header;
    this.#state = "special";
    this.#wanted = header.size + paddingOf(header.size);
    if (this.#wanted === 0) this.#endSpecial(Buffer.alloc(0));
  }

  #endSpecial(padded: Buffer): void {
    const header = this.#special;
    const body = padded.subarray(0, header?.size ?? 0);
    this.#state = "header";
    this.#wanted = blockBytes;
    // Global records are ignored, as docker and containerd do.
    if (header?.type === "pax") this.#pax = parsePaxRecords(body);
    else if (header?.type === "longName") this.#longName = untilZero(body);
    else if (header?.type === "longLink") this.#longLink = untilZero(body);
  }

  #extendSparse(block: Buffer): void {
    const sparse = this.#sparse;
    if (sparse === undefined) return;
    const isFirst = sparse.blocks.length === 0;
    sparse.blocks.push(block);
    if (sparse.blocks.length > largestSpecial / blockBytes)
      throw new Error("invalid tar header: too large");
    const continues = block[isFirst ? 482 : 504] !== 0;
    this.#state = "sparse";
    if (continues) return;
    this.#sparse = undefined;
    const { header, blocks } = sparse;
    this.#beginEntry({ ...header, type: "oldSparse" }, blocks);
  }

  #beginEntry(header: TarHeader & Pick<TarEntry, "type">, oldSparse?: readonly Buffer[]): void {
    const pax = this.#pax ?? noRecords;
    const entry = applyRecords(header, {
      name: pax.get("GNU.sparse.name") ?? pax.get("path") ?? this.#longName ?? header.name,
      linkName: pax.get("linkpath") ?? this.#longLink ?? header.linkName,
      pax,
      oldSparse,
    });
    this.#pax = undefined;
    this.#longName = undefined;
    this.#longLink = undefined;
    this.#dataLeft = entry.size;
    this.#paddingLeft = paddingOf(entry.size);
    this.#state = "data";
    this.#sink.entry(entry);
    if (entry.size === 0) this.#endEntry();
  }

  #endEntry(): void {
    this.#state = "header";
    this.#sink.entryEnd();
  }
}

/** `zero`: one empty block came; `done`: two. */
type State = "header" | "special" | "sparse" | "data" | "zero" | "done";

/** Of the bodies of pax headers and long names. */
const largestSpecial = 1 << 20;

const noRecords: PaxRecords = new Map();

function applyRecords(
  header: TarHeader & Pick<TarEntry, "type">,
  { pax, ...given }: Pick<TarEntry, "name" | "linkName" | "pax" | "oldSparse">,
): TarEntry {
  if (given.name.includes("\0") || given.linkName.includes("\0"))
    throw new Error("invalid tar header: a name contains a zero byte");
  const size = hasBody(header.type) ? (decimal(pax, "size") ?? header.size) : 0;
  return {
    ...header,
    ...given,
    size,
    uid: decimal(pax, "uid") ?? header.uid,
    gid: decimal(pax, "gid") ?? header.gid,
    mtime: Math.floor(seconds(pax, "mtime") ?? header.mtime),
    pax: new Map([...pax].filter(([key]) => keptRecord.test(key))),
    fileSize: fileSize(pax, given.oldSparse) ?? size,
  };
}

const keptRecord = /^(?:mtime$|SCHILY\.xattr\.|GNU\.sparse\.)/;

function fileSize(pax: PaxRecords, oldSparse: readonly Buffer[] | undefined): number | undefined {
  const inRecords = decimal(pax, "GNU.sparse.realsize") ?? decimal(pax, "GNU.sparse.size");
  if (inRecords !== undefined || oldSparse?.[0] === undefined) return inRecords;
  return tarNumber(oldSparse[0], 483, 12);
}

function decimal(pax: PaxRecords, key: string): number | undefined {
  const value = pax.get(key);
  if (value === undefined) return undefined;
  const result = Number(value);
  if (!/^[0-9]+$/.test(value) || !Number.isSafeInteger(result))
    throw new Error(`invalid tar header: pax record ${key} is not a number`);
  return result;
}

function seconds(pax: PaxRecords, key: string): number | undefined {
  const value = pax.get(key);
  if (value === undefined) return undefined;
  if (!/^-?[0-9]{1,15}(?:\.[0-9]*)?$/.test(value))
    throw new Error(`invalid tar header: pax record ${key} is not a time`);
  return Number(value);
}

function untilZero(body: Buffer): string {
  const end = body.indexOf(0);
  return body.toString("latin1", 0, end < 0 ? body.length : end);
}

const isZero = (block: Buffer): boolean => block.every((byte) => byte === 0);
