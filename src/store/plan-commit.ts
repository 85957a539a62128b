import { sortKey } from "./key-order.ts";
import type { Change, Commit, Stamp } from "./keyspace.ts";
import { type Op, type PutOp, StoreError } from "./store.ts";

/** The most operations one commit may have. */
const maxOps = 0xffff;

export type Plan<V extends Stamp> =
  /** Nothing to do, or the commit to make. */
  | { readonly ok: true; readonly commit: Commit<V> | undefined }
  | { readonly ok: false; readonly key: string; readonly current: V | undefined };

export interface PlanContext<V extends Stamp> {
  /** The revision that the commit gets if it changes something. */
  readonly revision: number;
  /** What the key is before the commit. */
  current(key: string): V | undefined;
  /** Adds the backend's part to a put; the ordinal counts the changes of the commit. */
  version(stamp: Stamp, op: PutOp, ordinal: number): V;
}

/** Decides what a commit does: which precondition fails first, or what becomes of each key. */
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

/** Fails with Invalid where operations break the contract. */
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

/** Its UTF-8 is then shorter than 64 KiB. */
const maxKeyLength = 0x4000;

/** Thousands of years: a time of expiry then fits into 48 bits. */
const maxTtlMs = 2 ** 47;
