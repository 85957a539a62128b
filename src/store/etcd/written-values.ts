import type { Op } from "../store.ts";

/** The values that are being written. */
export interface WrittenValues {
  add(ops: readonly Op[]): void;
  remove(ops: readonly Op[]): void;
  /** Returns the buffer that is being written, if it is equal; otherwise the value itself. */
  known(key: string, value: Uint8Array): Uint8Array;
}

/**
 * Remembers the buffers that are being written. etcd sends the values back in events; with the same
 * buffer, a subscriber need not decode it, and no second copy is kept.
 */
export function writtenValues(): WrittenValues {
  /** The last pending value of each key. */
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
