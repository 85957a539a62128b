import { errorMessage } from "../../base/error-message.ts";
import { isMap } from "../../schema/json/json-value.ts";
import type { Entry, Store, StoreEvent } from "../../store/store.ts";
import type { ReadObject } from "../commands/decode/decode-objects.ts";
import { counted } from "./counted.ts";
import { everyCommit } from "./every-commit.ts";
import { everyEntry } from "./every-entry.ts";
import { oldestRevision } from "./key-history.ts";
import { keptLease } from "./lease-key.ts";
import { readStored } from "./stored-object.ts";

/** An invariant of a store that does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Called with a description of each completed check. */
export type Checked = (text: string) => void;

/**
 * Checks the invariants of a store through its interface: keys are in order with consistent counts, objects
 * can be decoded and are named like their keys, and the history leads to the current keys. Throws the first
 * Violation.
 */
export async function verifyStore(
  store: Store,
  checked: Checked,
  signal?: AbortSignal,
): Promise<void> {
  const [oldest, current] = await Promise.all([oldestRevision(store), store.currentRevision()]);
  const now = await verifyEntries(store, current, checked);
  const then = await stampsAt(store, oldest);
  let last = oldest;
  const range = { from: oldest, to: current, signal };
  for await (const { revision, events } of everyCommit(store, "", range)) {
    if (revision !== last + 1)
      throw new Violation(`revision ${last + 1} is missing: ${revision} follows ${last}`);
    last = revision;
    for (const event of events) replay(then, event);
  }
  compare(then, now, current);
  checked(
    `${counted(current - oldest, "commit")} after revision ${oldest}: consistent with the current keys`,
  );
}

/** The revisions and the version of a key. */
type Stamp = Pick<Entry, "createRevision" | "modRevision" | "version">;

async function verifyEntries(
  store: Store,
  revision: number,
  checked: Checked,
): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  const owners = new Map<string, string>();
  const unread = new Map<string, number>();
  let leases = 0;
  let last: Buffer | undefined;
  for await (const entry of everyEntry(store, "", revision)) {
    const bytes = Buffer.from(entry.key);
    if (last && Buffer.compare(last, bytes) >= 0)
      throw new Violation(`${entry.key} is out of order: it comes after ${last.toString()}`);
    last = bytes;
    verifyCounts(entry, revision);
    stamps.set(entry.key, entry);
    if (holdsLease(entry)) {
      leases++;
      continue;
    }
    const stored = readStored(entry.value);
    if (stored.object) verifyObject(entry.key, stored.object, owners);
    else if (stored.isForeign || !entry.key.startsWith("/registry/"))
      unread.set(stored.opaque, (unread.get(stored.opaque) ?? 0) + 1);
    else throw new Violation(`${entry.key}: ${stored.opaque}`);
  }
  checked(`${counted(stamps.size, "key")} at revision ${revision}: order and counts`);
  const objects = stamps.size - leases - [...unread.values()].reduce((sum, n) => sum + n, 0);
  const names = objects === 1 ? "its key" : "their keys";
  checked(`${counted(objects, "object")}: decoded, and named like ${names}`);
  if (leases > 0) checked(`${counted(leases, "key")} for leases of etcd's API: decoded`);
  for (const [reason, n] of unread) checked(`${counted(n, "value")} as bytes only: ${reason}`);
  return stamps;
}

function holdsLease(entry: Entry): boolean {
  try {
    return keptLease(entry) !== undefined;
  } catch (cause) {
    throw new Violation(`${entry.key} holds no lease: ${errorMessage(cause)}`, { cause });
  }
}

function verifyCounts(entry: Entry, revision: number): void {
  const { key, createRevision, modRevision, version } = entry;
  const counts = `created at ${createRevision}, written at ${modRevision}, version ${version}`;
  const isOrdered = createRevision >= 1 && createRevision <= modRevision && modRevision <= revision;
  // A commit writes a key once, so that a key has at most one version per revision.
  const isCounted =
    version >= 1 &&
    version <= modRevision - createRevision + 1 &&
    (version === 1) === (createRevision === modRevision);
  if (!isOrdered || !isCounted) throw new Violation(`${key} has inconsistent counts: ${counts}`);
}

function verifyObject(key: string, object: ReadObject, owners: Map<string, string>): void {
  const metadata = isMap(object.value) ? object.value.metadata : undefined;
  if (!isMap(metadata)) return;
  const { name, namespace, uid, resourceVersion } = metadata;
  if (resourceVersion !== undefined && resourceVersion !== "")
    throw new Violation(`${key} holds a stored resource version: ${String(resourceVersion)}`);
  const path = namespace ? `/${String(namespace)}/${String(name)}` : `/${String(name)}`;
  if (name && !key.endsWith(path))
    throw new Violation(
      `${key} holds an object with another name: ${object.kind} ${path.slice(1)}`,
    );
  if (typeof uid !== "string" || uid === "") return;
  const owner = owners.get(uid);
  if (owner !== undefined) throw new Violation(`${key} has the uid of ${owner}: ${uid}`);
  owners.set(uid, key);
}

async function stampsAt(store: Store, revision: number): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  for await (const entry of everyEntry(store, "", revision)) stamps.set(entry.key, entry);
  return stamps;
}

function replay(stamps: Map<string, Stamp>, event: StoreEvent): void {
  const { key, entry, revision } = event;
  const before = stamps.get(key);
  const where = `revision ${revision} of ${key}`;
  if ((event.previous?.modRevision ?? 0) !== (before?.modRevision ?? 0))
    throw new Violation(
      `${where} follows revision ${event.previous?.modRevision ?? 0}, but the key was at ${before?.modRevision ?? 0}`,
    );
  if (!entry) {
    if (!before) throw new Violation(`${where} deletes a key that did not exist`);
    stamps.delete(key);
    return;
  }
  const expected: Stamp = {
    createRevision: before?.createRevision ?? revision,
    modRevision: revision,
    version: (before?.version ?? 0) + 1,
  };
  if (!sameStamp(entry, expected))
    throw new Violation(
      `${where} has inconsistent counts: ${shown(entry)}, not ${shown(expected)}`,
    );
  stamps.set(key, expected);
}

function compare(
  replayed: ReadonlyMap<string, Stamp>,
  found: ReadonlyMap<string, Stamp>,
  revision: number,
): void {
  for (const [key, stamp] of found) {
    const other = replayed.get(key);
    if (!other || !sameStamp(stamp, other))
      throw new Violation(
        `${key} exists at revision ${revision} (${shown(stamp)}), but by its history ${other ? `it is ${shown(other)}` : "it does not"}`,
      );
  }
  for (const key of replayed.keys())
    if (!found.has(key))
      throw new Violation(
        `${key} does not exist at revision ${revision}, but by its history it does`,
      );
}

const sameStamp = (a: Stamp, b: Stamp): boolean =>
  a.createRevision === b.createRevision &&
  a.modRevision === b.modRevision &&
  a.version === b.version;

const shown = ({ createRevision, modRevision, version }: Stamp): string =>
  `created at ${createRevision}, written at ${modRevision}, version ${version}`;
