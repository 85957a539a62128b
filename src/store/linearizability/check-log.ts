import type { History, List, LogBatch, LogChange, Version, WatchLog, Write } from "./history.ts";

/**
 * Checks that the log of changes matches the writes, the watches and the lists: nothing is lost,
 * repeated, invented or out of order. Deletions have a precondition here, which identifies them.
 */
export function checkLog({ operations, watches, log }: History): string[] {
  const all = operations.map(({ operation }) => operation);
  return [
    ...checkSteps("the log", log),
    ...watches.flatMap((watch, index) => [
      ...checkSteps(`watch ${index}`, watch),
      ...checkSlice(`watch ${index}`, watch, log),
    ]),
    ...checkWrites(
      all.filter((each) => each.type === "write"),
      log,
    ),
    ...checkLists(
      all.filter((each) => each.type === "list"),
      log,
    ),
  ];
}

/** Each change has a greater revision than all events and progress notifications before it. */
function checkSteps(name: string, { from, batches }: WatchLog): string[] {
  const problems: string[] = [];
  let last = from;
  for (const { revision, changes } of batches) {
    const back = changes.length > 0 ? revision <= last : revision < last;
    if (back) problems.push(`${name} went back from ${last} to ${revision}`);
    last = Math.max(last, revision);
  }
  return problems;
}

/** A watch has every change of the log up to its revision. */
function checkSlice(name: string, watch: WatchLog, log: WatchLog): string[] {
  const end = watch.batches.at(-1)?.revision ?? watch.from;
  const expected = log.batches
    .filter(
      ({ revision, changes }) => revision > watch.from && revision <= end && changes.length > 0,
    )
    .map(batchText);
  const found = watch.batches.filter(({ changes }) => changes.length > 0).map(batchText);
  const at = expected.findIndex((text, index) => found[index] !== text);
  if (at < 0 && found.length <= expected.length) return [];
  const place = at < 0 ? expected.length : at;
  return [
    `${name} told ${found[place] ?? "nothing"} where ${expected[place] ?? "nothing"} came next`,
  ];
}

/**
 * Every change of the log is a successful or unknown write whose precondition held; no successful write
 * is missing.
 */
function checkWrites(writes: readonly Write[], log: WatchLog): string[] {
  const problems: string[] = [];
  const open = openWrites(writes);
  const missing = new Set(writes.filter(({ outcome }) => outcome.type === "done"));
  for (const step of replay(log)) {
    const id = identity(step.change, step.previous?.revision ?? 0);
    const write = open.get(id);
    open.delete(id);
    if (write !== undefined) missing.delete(write);
    problems.push(...checkStep(step, write));
  }
  for (const write of missing) problems.push(`${changeText(write)} was acknowledged and is lost`);
  return problems;
}

/** The writes to find, by identity; of several attempts at one deletion, the successful one. */
function openWrites(writes: readonly Write[]): Map<string, Write> {
  const open = new Map<string, Write>();
  for (const write of writes) {
    const id = identity(write, write.ifRevision ?? 0);
    const isOpen = write.outcome.type === "unknown" && !open.has(id);
    if (isOpen || write.outcome.type === "done") open.set(id, write);
  }
  return open;
}

function checkStep({ batch, change, previous }: Step, write: Write | undefined): string[] {
  const text = `${changeText(change)} at ${batch.revision}`;
  if (write === undefined) return [`nobody did ${text}`];
  const { ifRevision, outcome } = write;
  const on = previous?.revision ?? 0;
  if (ifRevision !== undefined && ifRevision !== on)
    return [`${text} was done on ${on}, not on ${ifRevision}`];
  const told = outcome.type === "done" ? outcome.revision : undefined;
  return told === undefined || told === batch.revision
    ? []
    : [`${text} was acknowledged at ${told}`];
}

/** Values are unique, and a version can be deleted once. */
function identity({ key, value }: LogChange, previous: number): string {
  return value === undefined ? `${key} ${previous}` : `${key}=${value}`;
}

/** A list is the state of the log at its revision. */
function checkLists(lists: readonly List[], log: WatchLog): string[] {
  const problems: string[] = [];
  const waiting = [...lists].sort((a, b) => a.revision - b.revision);
  const keys = new Map<string, Version>();
  const compare = (before: number): void => {
    while (waiting[0] !== undefined && waiting[0].revision < before) {
      const { found, revision } = waiting.shift() as List;
      const [told, expected] = [stateText(found), stateText(keys)];
      if (told !== expected)
        problems.push(`a list at ${revision} told ${told}, and the log makes it ${expected}`);
    }
  };
  for (const { batch, change } of replay(log)) {
    compare(batch.revision);
    apply(keys, change, batch.revision);
  }
  compare(Number.POSITIVE_INFINITY);
  return problems;
}

interface Step {
  readonly batch: LogBatch;
  readonly change: LogChange;
  readonly previous: Version | undefined;
}

function* replay(log: WatchLog): Generator<Step> {
  const keys = new Map<string, Version>();
  for (const batch of log.batches) {
    for (const change of batch.changes) {
      yield { batch, change, previous: keys.get(change.key) };
      apply(keys, change, batch.revision);
    }
  }
}

function apply(keys: Map<string, Version>, { key, value }: LogChange, revision: number): void {
  if (value === undefined) keys.delete(key);
  else keys.set(key, { value, revision });
}

function batchText({ revision, changes }: LogBatch): string {
  return `${revision}: ${changes.map(changeText).join(", ")}`;
}

function changeText({ key, value }: LogChange): string {
  return value === undefined ? `the deletion of ${key}` : `${key}=${value}`;
}

function stateText(keys: ReadonlyMap<string, Version>): string {
  const parts = [...keys].map(([key, { value, revision }]) => `${key}=${value}@${revision}`);
  return parts.sort().join(" ") || "nothing";
}
