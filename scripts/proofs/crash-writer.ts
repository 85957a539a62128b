import { compactTo } from "../../src/apiserver/objects/compactor.ts";
import { SeededRandom } from "../../src/base/random.ts";
import { writeSnapshot } from "../../src/cluster/snapshot/write-snapshot.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import type { Entry, Op, Store, StoreEvent } from "../../src/store/store.ts";
import { CrashLog, type LoggedOp } from "./crash-log.ts";

export interface WriterOptions {
  readonly directory: string;
  readonly log: string;
  readonly seed: number;
  /** The watch goes on from here; what was written before may be compacted. */
  readonly from: number;
  /** Where snapshots go, one after the other. */
  readonly snapshot: string;
}

const writers = 32;
const keys = 200;
/** Large enough for some values to take several pages. */
const longestValue = 9000;
/** So small that files are replaced by smaller ones all the time. */
const shrinkAtLeast = 2 ** 18;

/** Writes, watches, compacts and makes snapshots until the process is killed. */
export async function writeUntilKilled(options: WriterOptions): Promise<void> {
  const { directory, log, seed, from, snapshot } = options;
  const store = await openLmdbStore({ path: directory, clock: realClock, shrinkAtLeast });
  const out = new CrashLog(log);
  const random = new SeededRandom(seed);
  const context = { store, out, random, seed };
  process.stdout.write("ready\n");
  const watching = watch(store, out, from);
  const last = random.next() < 0.5 ? await deleteLast(context, from) : from;
  await Promise.all([
    watching,
    compactOnce(context, last),
    snapshotForever(context, snapshot),
    ...Array.from({ length: writers }, () => writeForever(context)),
  ]);
}

interface Context {
  readonly store: Store;
  readonly out: CrashLog;
  readonly random: SeededRandom;
  readonly seed: number;
}

async function watch(store: Store, out: CrashLog, from: number): Promise<void> {
  for await (const { revision, events } of store.watch("", { from, buffer: Infinity })) {
    out.write(["watch", revision, events.map(eventOp)]);
  }
}

/**
 * Makes a deletion the newest commit before a compaction at it: then no record is left that tells how
 * far the store was.
 */
async function deleteLast({ store, out }: Context, from: number): Promise<number> {
  const { entries } = await store.list("", { limit: 1 });
  const [entry] = entries;
  if (entry === undefined) return from;
  const id = tries++;
  const { key, modRevision: ifRevision } = entry;
  out.write(["try", id, [["delete", key]]]);
  const { revision } = await store.commit([{ type: "delete", key, ifRevision }]);
  out.write(["ack", id, revision]);
  return revision;
}

async function snapshotForever({ store, out }: Context, file: string): Promise<never> {
  for (;;) {
    const { revision } = await writeSnapshot({ store, file, now: new Date() });
    out.write(["snapshot", revision]);
  }
}

async function compactOnce({ store, out, random }: Context, revision: number): Promise<void> {
  if (revision < 2 || random.next() < 0.3) return;
  const later = revision + (random.next() < 0.5 ? 0 : random.next() * 500);
  for await (const batch of store.watch("", { from: revision })) {
    if (batch.revision > later) break;
  }
  // What is free at the second one goes back to the disk.
  for (const at of [revision - 1, revision]) {
    await compactTo(store, at);
    out.write(["compacted", at]);
  }
}

let tries = 0;

async function writeForever(context: Context): Promise<never> {
  const { store, out } = context;
  for (;;) {
    const id = tries++;
    const ops = await chooseOps(context, id);
    out.write(["try", id, ops.map(commitOp)]);
    const outcome = await store.commit(ops);
    out.write(outcome.ok ? ["ack", id, outcome.revision] : ["void", id]);
  }
}

/** A creation, an update under a precondition, a deletion, a blind write, or several at once. */
async function chooseOps(context: Context, id: number): Promise<Op[]> {
  const { store, random } = context;
  const count = random.next() < 0.2 ? 2 + Math.floor(random.next() * 4) : 1;
  const chosen = new Set(
    Array.from({ length: count }, () => `/k/${Math.floor(random.next() * keys)}`),
  );
  const ops: Op[] = [];
  for (const key of chosen)
    ops.push(chooseOp(context, `${id}.${ops.length}`, { key, entry: await store.get(key) }));
  return ops;
}

function chooseOp(
  { random, seed }: Context,
  id: string,
  { key, entry }: { key: string; entry: Entry | undefined },
): Op {
  const ifRevision = entry?.modRevision ?? 0;
  const condition = random.next() < 0.7 ? { ifRevision } : {};
  // With a precondition, a deletion that succeeds has changed something.
  if (entry !== undefined && random.next() < 0.25) return { type: "delete", key, ifRevision };
  const length = Math.floor(random.next() ** 4 * longestValue);
  const value = new TextEncoder().encode(`${seed}.${id}.${"x".repeat(length)}`);
  return { type: "put", key, value, ...condition };
}

function commitOp(op: Op): LoggedOp {
  return op.type === "put" ? ["put", op.key, valueText(op.value)] : ["delete", op.key];
}

export function eventOp({ type, key, entry }: StoreEvent): LoggedOp {
  return entry === undefined ? [type, key] : [type, key, valueText(entry.value)];
}

/** The value without its filling, but with its length. */
export function valueText(value: Uint8Array): string {
  const text = new TextDecoder().decode(value);
  return `${text.slice(0, text.indexOf("x") >>> 0)}${value.length}`;
}
