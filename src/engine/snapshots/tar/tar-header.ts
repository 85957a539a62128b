/** What a tar header says of an entry. Strings hold one byte per character, as names need not be UTF-8. */
export interface TarHeader {
  readonly name: string;
  readonly type: TarType;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** The bytes that follow the header. */
  readonly size: number;
  /** In seconds since the epoch. */
  readonly mtime: number;
  readonly linkName: string;
  readonly devMajor: number;
  readonly devMinor: number;
}

export type TarType =
  | "file"
  | "hardLink"
  | "symlink"
  | "charDevice"
  | "blockDevice"
  | "directory"
  | "fifo"
  | "pax"
  | "paxGlobal"
  | "longName"
  | "longLink"
  | "oldSparse";

/** The size of a header, and the unit in which data is padded. */
export const blockBytes = 512;

/** Reads a header; throws if it is none. GNU's and POSIX's forms are both read. */
export function parseTarHeader(block: Buffer): TarHeader {
  if (!hasRightChecksum(block)) throw new Error("invalid tar header: wrong checksum");
  const flag = block.toString("latin1", 156, 157);
  const named = types[flag];
  if (named === undefined) throw new Error(`unhandled tar header type ${block[156]}`);
  const isPosix = block.toString("latin1", 257, 263) === "ustar\0";
  const prefix = isPosix ? text(block, 345, 155) : "";
  const short = text(block, 0, 100);
  const name = prefix === "" ? short : `${prefix}/${short}`;
  // Before POSIX, a directory was a file whose name ends with a slash.
  const type = flag === "\0" && name.endsWith("/") ? "directory" : named;
  return {
    name,
    type,
    mode: tarNumber(block, 100, 8) & 0o7777,
    uid: tarNumber(block, 108, 8),
    gid: tarNumber(block, 116, 8),
    size: hasBody(type) ? size(block) : 0,
    mtime: tarNumber(block, 136, 12),
    linkName: text(block, 157, 100),
    devMajor: isDevice(type) ? tarNumber(block, 329, 8) : 0,
    devMinor: isDevice(type) ? tarNumber(block, 337, 8) : 0,
  };
}

/** Writes a header in POSIX's form. Throws for what does not fit: it belongs into pax records. */
export function encodeTarHeader(header: TarHeader): Buffer {
  const block = Buffer.alloc(blockBytes);
  putText(block, header.name, { at: 0, length: 100 });
  putNumber(block, header.mode, { at: 100, length: 8 });
  putNumber(block, header.uid, { at: 108, length: 8 });
  putNumber(block, header.gid, { at: 116, length: 8 });
  putNumber(block, header.size, { at: 124, length: 12 });
  putNumber(block, header.mtime, { at: 136, length: 12 });
  block.write(flags[header.type], 156, "latin1");
  putText(block, header.linkName, { at: 157, length: 100 });
  block.write("ustar\u000000", 257, "latin1");
  putNumber(block, header.devMajor, { at: 329, length: 8 });
  putNumber(block, header.devMinor, { at: 337, length: 8 });
  return withChecksum(block);
}

/** Whether data follows a header of this type; links and devices have none, whatever size they state. */
export const hasBody = (type: TarType): boolean => !bodiless.has(type);

/** The bytes that fill the last block of an entry. */
export const paddingOf = (bytes: number): number =>
  (blockBytes - (bytes % blockBytes)) % blockBytes;

/** The largest number that a field of 12 characters holds. */
export const largestOctal = 0o77777777777;
/** The largest number that a field of 8 characters holds. */
export const largestShortOctal = 0o7777777;

/** Writes the checksum of a header into it. */
export function withChecksum(block: Buffer): Buffer {
  block.fill(" ", 148, 156);
  let sum = 0;
  for (let at = 0; at < blockBytes; at++) sum += block[at] ?? 0;
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

const types: Readonly<Record<string, TarType | undefined>> = {
  "\0": "file",
  "0": "file",
  "7": "file",
  "1": "hardLink",
  "2": "symlink",
  "3": "charDevice",
  "4": "blockDevice",
  "5": "directory",
  "6": "fifo",
  x: "pax",
  g: "paxGlobal",
  L: "longName",
  K: "longLink",
  S: "oldSparse",
};

const flags: Readonly<Record<TarType, string>> = {
  file: "0",
  hardLink: "1",
  symlink: "2",
  charDevice: "3",
  blockDevice: "4",
  directory: "5",
  fifo: "6",
  pax: "x",
  paxGlobal: "g",
  longName: "L",
  longLink: "K",
  oldSparse: "S",
};

const bodiless: ReadonlySet<TarType> = new Set<TarType>([
  "hardLink",
  "symlink",
  "charDevice",
  "blockDevice",
  "directory",
  "fifo",
]);

const isDevice = (type: TarType): boolean => type === "charDevice" || type === "blockDevice";

interface Field {
  readonly at: number;
  readonly length: number;
}

function text(block: Buffer, at: number, length: number): string {
  const end = block.indexOf(0, at);
  return block.toString("latin1", at, end < 0 || end > at + length ? at + length : end);
}

function size(block: Buffer): number {
  const bytes = tarNumber(block, 124, 12);
  if (bytes < 0) throw new Error("invalid tar header: negative size");
  return bytes;
}

/** A number in octal digits, or in GNU's binary form, whose first bit is set. */
export function tarNumber(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if ((first & 0x80) !== 0) return binaryNumber(block.subarray(at, at + length));
  const digits = text(block, at, length).trim();
  if (digits === "") return 0;
  if (!/^[0-7]+$/.test(digits)) throw new Error("invalid tar header: not a number");
  return Number.parseInt(digits, 8);
}

/** Two's complement without the first bit, which only says that the form is binary. */
function binaryNumber(field: Buffer): number {
  const bits = BigInt(field.length * 8 - 1);
  const raw = BigInt(`0x${field.toString("hex")}`) & ((1n << bits) - 1n);
  const value = Number(BigInt.asIntN(Number(bits), raw));
  if (!Number.isSafeInteger(value)) throw new Error("invalid tar header: number out of range");
  return value;
}

/** Some old programs summed up signed bytes. */
function hasRightChecksum(block: Buffer): boolean {
  let stated: number;
  try {
    stated = tarNumber(block, 148, 8);
  } catch {
    return false;
  }
  let unsigned = 0;
  let signed = 0;
  for (let at = 0; at < blockBytes; at++) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return stated === unsigned || stated === signed;
}

function putText(block: Buffer, value: string, { at, length }: Field): void {
  if (value.length > length) throw new Error(`too long for a tar header: ${value}`);
  block.write(value, at, length, "latin1");
}

function putNumber(block: Buffer, value: number, { at, length }: Field): void {
  const digits = value.toString(8).padStart(length - 1, "0");
  if (value < 0 || digits.length > length - 1)
    throw new Error(`too large for a tar header: ${value}`);
  block.write(digits, at, "latin1");
}
