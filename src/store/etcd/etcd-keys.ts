import { sortKey } from "../key-order.ts";
import { StoreError } from "../store.ts";

/** A range of keys in etcd's form. */
export interface EtcdRange {
  readonly key: Uint8Array;
  readonly range_end: Uint8Array;
}

/** Converts between the store's keys and etcd's. */
export interface EtcdKeys {
  toEtcd(key: string): Uint8Array;
  /** The store's key; undefined if it is outside of the store's prefix. */
  fromEtcd(key: Uint8Array): string | undefined;
  /** The range of keys with a prefix, optionally after a key; undefined if it is empty. */
  range(prefix: string, after?: string): EtcdRange | undefined;
}

/** The prefix of all objects, in the store and by default in etcd. */
const registry = "/registry";

/** Maps `/registry` to another prefix in etcd; default: the same. */
export function etcdKeys(prefix: string = registry): EtcdKeys {
  const inner = `${registry}/`;
  const outer = `${normalized(prefix)}/`;
  if (outer === inner) return { toEtcd: encode, fromEtcd: decode, range: prefixRange };
  const renamed = (key: string): string => outer + key.slice(inner.length);
  return {
    toEtcd(key) {
      if (key.startsWith(inner)) return encode(renamed(key));
      throw new StoreError("Invalid", `key ${key} is not under ${inner}`);
    },
    fromEtcd(bytes) {
      const key = decode(bytes);
      return key.startsWith(outer) ? inner + key.slice(outer.length) : undefined;
    },
    range(wanted, after) {
      // A shorter prefix selects everything under /registry/.
      const within = inner.startsWith(wanted) ? inner : wanted;
      if (!within.startsWith(inner)) return undefined;
      if (after === undefined || after < inner) return prefixRange(renamed(within));
      return after.startsWith(inner) ? prefixRange(renamed(within), renamed(after)) : undefined;
    },
  };
}

/** All keys of etcd. */
export const allKeys: EtcdRange = { key: Uint8Array.of(0), range_end: Uint8Array.of(0) };

/** Normalizes a prefix as upstream does: a leading slash and no trailing one. */
function normalized(prefix: string): string {
  const parts = prefix.split("/").filter((part) => part !== "" && part !== ".");
  return parts.map((part) => `/${part}`).join("");
}

function prefixRange(prefix: string, after?: string): EtcdRange | undefined {
  const start = encode(prefix);
  const all = start.length === 0 ? allKeys : { key: start, range_end: endOf(start) };
  if (after === undefined) return all;
  // The least key above another is that key followed by a zero byte.
  const next = encode(`${after}\0`);
  if (compare(next, all.key) <= 0) return all;
  const isOpen = all.range_end.length === 1 && all.range_end[0] === 0;
  return isOpen || compare(next, all.range_end) < 0
    ? { key: next, range_end: all.range_end }
    : undefined;
}

/**
 * The least key above all with the prefix. No byte of UTF-8 is 0xff, so that the last one can be
 * incremented.
 */
function endOf(prefix: Uint8Array): Uint8Array {
  const end = prefix.slice();
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return end;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return (a[i] ?? 0) - (b[i] ?? 0);
  return a.length - b.length;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encode = (key: string): Uint8Array => {
  // Throws for a key that is not well-formed: encoding would change it.
  sortKey(key);
  return encoder.encode(key);
};
const decode = (key: Uint8Array): string => decoder.decode(key);
