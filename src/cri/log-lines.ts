import type { LogPiece } from "./streams.ts";

const defaultMostBytes = 256 * 1024;

/**
 * Parses a log in the form of CRI: `TIME STREAM TAG CONTENT`, where the tag is `P` for a part of a line and `F`
 * for its last part. Parts of a line are joined. What has another form is skipped.
 */
export class LogLines {
  /** The beginning of a record whose end has not arrived. */
  #rest: Uint8Array = new Uint8Array(0);
  readonly #parts: Readonly<Record<LogPiece["stream"], Parts>> = { stdout: none(), stderr: none() };
  readonly #mostBytes: number;

  /** Lines of this size or more are returned in parts; with 0, every part is returned at once. */
  constructor(mostBytes = defaultMostBytes) {
    this.#mostBytes = mostBytes;
  }

  /** Returns the lines that end in these bytes, which follow those of the call before. */
  add(bytes: Uint8Array): LogPiece[] {
    const all = joined([this.#rest, bytes]);
    const pieces: LogPiece[] = [];
    let start = 0;
    for (let end = all.indexOf(newline); end >= 0; end = all.indexOf(newline, start)) {
      const piece = this.#line(all.subarray(start, end + 1));
      if (piece) pieces.push(piece);
      start = end + 1;
    }
    this.#rest = all.subarray(start);
    return pieces;
  }

  /** Returns the lines that have no end. */
  end(): LogPiece[] {
    const pieces = (["stdout", "stderr"] as const).flatMap((stream) => this.#taken(stream) ?? []);
    this.#rest = new Uint8Array(0);
    return pieces.sort((a, b) => a.at - b.at || a.nanos - b.nanos);
  }

  #line(bytes: Uint8Array): LogPiece | undefined {
    const line = parseLogRecord(bytes);
    if (!line) return undefined;
    const { stream, isWhole, content, at, nanos } = line;
    const parts = this.#parts[stream];
    if (isWhole && parts.list.length === 0) return { stream, at, nanos, bytes: content };
    parts.first ??= { at, nanos };
    parts.list.push(content);
    parts.size += content.length;
    return isWhole || parts.size >= this.#mostBytes ? this.#taken(stream) : undefined;
  }

  #taken(stream: LogPiece["stream"]): LogPiece | undefined {
    const { list, first } = this.#parts[stream];
    if (!first) return undefined;
    Object.assign(this.#parts[stream], none());
    return { stream, ...first, bytes: joined(list) };
  }
}

/** The parts of an unfinished line, and the time of the first. */
interface Parts {
  list: Uint8Array[];
  size: number;
  first: Pick<LogPiece, "at" | "nanos"> | undefined;
}

const none = (): Parts => ({ list: [], size: 0, first: undefined });

/** A record of a log file: a line, or a part of it. */
interface LogRecord extends Pick<LogPiece, "stream" | "at" | "nanos"> {
  /** Whether it is the last part of its line. */
  readonly isWhole: boolean;
  /** With the newline, if it is. */
  readonly content: Uint8Array;
}

/** Whether a record, with its newline, is the last part of a line. */
export const endsLine = (bytes: Uint8Array): boolean => parseLogRecord(bytes)?.isWhole ?? false;

/** Parses a record with its newline; undefined if it has another form. */
function parseLogRecord(bytes: Uint8Array): LogRecord | undefined {
  const afterTime = bytes.indexOf(space);
  const afterStream = bytes.indexOf(space, afterTime + 1);
  if (afterTime < 0 || afterStream < 0) return undefined;
  const afterTag = bytes.indexOf(space, afterStream + 1);
  // A record without content may have no space after its tag.
  const tagEnd = afterTag < 0 ? bytes.length - 1 : afterTag;
  const stream = ascii(bytes.subarray(afterTime + 1, afterStream));
  const [tag] = ascii(bytes.subarray(afterStream + 1, tagEnd)).split(":");
  if ((stream !== "stdout" && stream !== "stderr") || (tag !== "F" && tag !== "P"))
    return undefined;
  const time = parseTime(ascii(bytes.subarray(0, afterTime)));
  if (!time) return undefined;
  const isWhole = tag === "F";
  const from = afterTag < 0 ? bytes.length - 1 : afterTag + 1;
  const content = bytes.subarray(from, isWhole ? undefined : -1);
  return { stream, isWhole, content, ...time };
}

/** Parses a time in RFC 3339 with up to nine digits of a second. */
function parseTime(text: string): Pick<LogPiece, "at" | "nanos"> | undefined {
  const [, seconds, fraction = "", zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  const nanos = Number(fraction.padEnd(9, "0"));
  return { at: ms + Math.floor(nanos / 1e6), nanos: nanos % 1e6 };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const filled = parts.filter(({ length }) => length > 0);
  if (filled.length <= 1) return filled[0] ?? new Uint8Array(0);
  const all = new Uint8Array(filled.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of filled) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 64));
const newline = 0x0a;
const space = 0x20;
