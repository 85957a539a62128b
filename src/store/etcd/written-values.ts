import type { Op } from "../store.ts";

/** The values that are being written. */
export interface WrittenValues {
  add(ops: readonly Op[]): void;
  remove(ops: readonly Op[]): void;
  /** The value as it was given to be written, where it is the same; else itself. */
  known(key: string, value: Uint8Array): Uint8Array;
}

/**
 * Knows what is being written by the very bytes it was given as. Etcd sends them back with the event;
 * who gets those he gave needs not decode them, and no second copy is kept.
 */
export function writtenValues(): WrittenValues {
  /** The last that is being written under each key. */
  const values = new Map<string, Uint8Array>();
  return {
    add(ops) {
      for (const op of ops) if (op.type === "put") values.set(op.key, op.value);
    },
    remove(ops) {
      for (const op of ops)
        if (op.type === "put" && values.get(op.key) === op.value) values.delete(op.key);
    },
    known(key, value) {
      const given = values.get(key);
      return given && Buffer.compare(given, value) === 0 ? given : value;
    },
  };
}
