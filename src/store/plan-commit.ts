import { sortKey } from "./key-order.ts";
import type { Change, Commit, Stamp } from "./keyspace.ts";
import { type Op, type PutOp, StoreError } from "./store.ts";

/** The maximum number of operations per commit. */
const maxOps = 0xffff;

export type Plan<V extends Stamp> =
  /** The commit to make; undefined if nothing changes. */
  | { readonly ok: true; readonly commit: Commit<V> | undefined }
  | { readonly ok: false; readonly key: string; readonly current: V | undefined };

export interface PlanContext<V extends Stamp> {
  /** The revision of the commit if it changes something. */
  readonly revision: number;
  /** The key's version before the commit. */
  current(key: string): V | undefined;
  /** Adds the backend's data to a put; the ordinal counts the changes of the commit. */
  version(stamp: Stamp, op: PutOp, ordinal: number): V;
}

/** Plans a commit: returns the first failed precondition, or the change of each key. */
export function planCommit<V extends Stamp>(ops: readonly Op[], context: PlanContext<V>): Plan<V> {
  checkOps(ops);
  const before = ops.map((op) => context.current(op.key));
  for (const [index, { key, ifRevision }] of ops.entries()) {
    const current = before[index];
    if (ifRevision !== undefined && ifRevision !== (current?.modRevision ?? 0)) {
      return { ok: false, key, current };
    }
  }
  const { revision } = context;
  const changes: Change<V>[] = [];
  for (const [index, op] of ops.entries()) {
    const previous = before[index];
    if (op.type === "delete") {
      if (previous !== undefined) changes.push({ key: op.key, current: undefined, previous });
      continue;
    }
    const stamp = {
      key: op.key,
      createRevision: previous?.createRevision ?? revision,
      modRevision: revision,
      version: (previous?.version ?? 0) + 1,
    };
    const current = context.version(stamp, op, changes.length);
    changes.push({ key: op.key, current, previous });
  }
  return { ok: true, commit: changes.length === 0 ? undefined : { revision, changes } };
}

/** Throws Invalid if operations violate the contract. */
export function checkOps(ops: readonly Op[]): void {
  if (ops.length > maxOps) {
    throw new StoreError("Invalid", `a commit has at most ${maxOps} operations, not ${ops.length}`);
  }
  for (const op of ops) {
    checkKey(op.key);
    if (op.type === "put" && op.ttlMs !== undefined && !(op.ttlMs > 0 && op.ttlMs < maxTtlMs)) {
      throw new StoreError("Invalid", `the time to live of ${op.key} is out of range: ${op.ttlMs}`);
    }
  }
  if (ops.length > 1) checkDistinct(ops);
}

function checkDistinct(ops: readonly Op[]): void {
  const seen = new Set<string>();
  for (const { key } of ops) {
    if (seen.has(key)) throw new StoreError("Invalid", `key ${key} occurs twice in a commit`);
    seen.add(key);
  }
}

function checkKey(key: string): void {
  if (key === "") throw new StoreError("Invalid", "a key must not be empty");
  if (key.length > maxKeyLength) {
    throw new StoreError("Invalid", `a key has at most ${maxKeyLength} characters`);
  }
  sortKey(key);
}

/** Keeps the UTF-8 form below 64 KiB. */
const maxKeyLength = 0x4000;

/** Thousands of years: the expiry time then fits into 48 bits. */
const maxTtlMs = 2 ** 47;
