import { sortKey } from "../key-order.ts";
import type { Entry } from "../store.ts";
import type { StoreView } from "../transactor.ts";
import { attachmentPrefix } from "./attachment.ts";
import { boundOf, bytesOf, keyOf } from "./key-bytes.ts";

/** The keys from `start` to before `end`, without internal keys. */
export interface KeyRange {
  readonly start: string;
  readonly end: string;
  /** All keys of the range start with it. */
  readonly prefix: string;
  /** Whether the range contains all keys with the prefix. */
  readonly isPrefix: boolean;
}

/** Decodes key and range_end of a request: one key, a range, or all keys from one on. */
export function keyRange(key: Uint8Array, rangeEnd: Uint8Array): KeyRange {
  if (rangeEnd.length === 0) {
    const one = keyOf(key);
    return one === undefined ? nothing : range(one, `${one}\0`);
  }
  const start = boundOf(key);
  if (start === undefined) return nothing;
  const isOpen = rangeEnd.length === 1 && rangeEnd[0] === 0;
  const end = isOpen ? undefined : boundOf(rangeEnd);
  const isPrefix =
    keyOf(key) !== undefined && Buffer.compare(prefixEndOf(key), rangeEnd) === 0 && !isOpen;
  return range(start, end, isPrefix);
}

export function inRange({ start, end, prefix, isPrefix }: KeyRange, key: string): boolean {
  if (!key.startsWith(prefix)) return false;
  if (isPrefix) return true;
  const place = sortKey(key);
  return place >= sortKey(start) && place < sortKey(end);
}

export interface ReadOptions {
  readonly revision: number;
  /** 0 for no limit. */
  readonly limit: number;
}

/** The entries of a range, in order. */
export function entriesIn(view: StoreView, range: KeyRange, options: ReadOptions): Entry[] {
  const { prefix, isPrefix, start, end } = range;
  const { revision, limit } = options;
  if (isPrefix) return [...view.list(prefix, { revision, limit }).entries];
  const first = isEmpty(range) ? undefined : view.get(start, revision);
  const entries = first ? [first] : [];
  if (isSingle(range) || isEmpty(range)) return entries;
  for (let after = start; ; ) {
    const wanted = limit > 0 ? Math.min(limit - entries.length, step) : step;
    if (wanted === 0) return entries;
    const page = view.list(prefix, { revision, limit: wanted, after });
    const within = page.entries.filter(({ key }) => sortKey(key) < sortKey(end));
    entries.push(...within);
    const last = page.entries.at(-1);
    if (last === undefined || page.remaining === 0 || within.length < page.entries.length)
      return entries;
    after = last.key;
  }
}

/** The number of keys in a range. */
export function countIn(view: StoreView, range: KeyRange, revision: number): number {
  const { prefix, isPrefix, start, end } = range;
  if (isEmpty(range)) return 0;
  if (isSingle(range)) return view.get(start, revision) ? 1 : 0;
  const from = (bound?: string): number => {
    const options = { revision, limit: 1, ...(bound !== undefined && { after: bound }) };
    const { entries, remaining } = view.list(prefix, options);
    const isThere = bound?.startsWith(prefix) && view.get(bound, revision) !== undefined;
    return entries.length + remaining + (isThere ? 1 : 0);
  };
  return isPrefix ? from() : from(start) - from(end);
}

/** Entries per read if the total is unknown. */
const step = 1000;

const isSingle = ({ start, end }: KeyRange): boolean => end === `${start}\0`;
const isEmpty = ({ start, end }: KeyRange): boolean =>
  start === "" || sortKey(start) >= sortKey(end);

const nothing: KeyRange = { start: "", end: "", prefix: "", isPrefix: false };

function range(start: string, end: string | undefined, isPrefix = false): KeyRange {
  const isCut = end === undefined || sortKey(end) > sortKey(attachmentPrefix);
  const last = isCut ? attachmentPrefix : end;
  if (sortKey(start) >= sortKey(last)) return nothing;
  if (isPrefix && !isCut) return { start, end: last, prefix: start, isPrefix };
  return { start, end: last, prefix: sharedPrefix(start, last), isPrefix: false };
}

function sharedPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  // Do not cut a surrogate pair.
  const isCut = /[\ud800-\udbff]$/.test(a.slice(0, length));
  return a.slice(0, isCut ? length - 1 : length);
}

/** The range end of a prefix, as clients compute it; "\0" if there is none. */
function prefixEndOf(prefix: Uint8Array): Uint8Array {
  // A copy: a slice of a Buffer would share its memory.
  const end = Uint8Array.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    const byte = end[at] ?? 0;
    if (byte === 0xff) continue;
    end[at] = byte + 1;
    return end.subarray(0, at + 1);
  }
  return bytesOf("\0");
}
