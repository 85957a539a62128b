import type { VirtualClock } from "../../base/virtual-clock.ts";
import { type CommitOutcome, type Op, type Store, StoreError, type WatchBatch } from "../store.ts";

/** Defines a test that gets a new store and its clock. */
export type SuiteTest = (
  title: string,
  run: (store: Store, clock: VirtualClock) => Promise<void>,
) => void;

/** Revisions 2 to 6: /a created, /b created, /a updated, /a deleted, /a created again. */
export async function fillHistory(store: Store): Promise<void> {
  for (const op of [put("/a", "1"), put("/b", "1"), put("/a", "2"), remove("/a"), put("/a", "3")]) {
    await store.commit([op]);
  }
}

export function put(key: string, value: string, ifRevision?: number): Op {
  const op = { type: "put", key, value: encode(value) } as const;
  return ifRevision === undefined ? op : { ...op, ifRevision };
}

export function lease(key: string, ttlMs: number): Op {
  return { type: "put", key, value: encode("x"), ttlMs };
}

export function remove(key: string, ifRevision?: number): Op {
  const op = { type: "delete", key } as const;
  return ifRevision === undefined ? op : { ...op, ifRevision };
}

export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}

export function encode(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

export function text(value: Uint8Array | undefined): string {
  return new TextDecoder().decode(value);
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

type EntryOrNot = Awaited<ReturnType<Store["get"]>>;

export function brief(entry: EntryOrNot): string {
  return entry === undefined ? "nothing" : `${entry.key}=${text(entry.value)}`;
}

export function show(entry: EntryOrNot): string {
  if (entry === undefined) return "nothing";
  const { createRevision, modRevision, version } = entry;
  return `${brief(entry)} created ${createRevision} modified ${modRevision} version ${version}`;
}

export function showOutcome(outcome: CommitOutcome): string {
  if (outcome.ok) return `revision ${outcome.revision}`;
  return `conflict on ${outcome.key} with ${brief(outcome.current)} at ${outcome.revision}`;
}

export function showBatch({ revision, events }: WatchBatch): string {
  const shown = events.map((event) => {
    const change = event.entry === undefined ? event.key : brief(event.entry);
    const wrong = event.revision === revision ? "" : ` at ${event.revision}`;
    return `${event.type} ${change} was ${brief(event.previous)}${wrong}`;
  });
  return `${revision}: ${shown.join(", ")}`;
}

export function recorder(seen: string[]) {
  return {
    batch: (batch: WatchBatch): void => void seen.push(showBatch(batch)),
    end: (error: StoreError): void => void seen.push(`end ${error.code} ${error.revision}`),
  };
}

export async function take(watch: AsyncIterable<WatchBatch>, count: number): Promise<WatchBatch[]> {
  const batches: WatchBatch[] = [];
  for await (const batch of watch) {
    batches.push(batch);
    if (batches.length === count) break;
  }
  return batches;
}

export async function failure(promise: Promise<unknown>): Promise<StoreError> {
  const error: unknown = await promise.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (error instanceof StoreError) return error;
  throw error;
}

export async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.catch((error: unknown) => {
    if (error instanceof StoreError) return `${error.code} ${error.revision}`;
    throw error;
  });
}
