import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { configMapKind } from "../verbs/verb-parts.test-support.ts";
import { ListSnapshots, type SnapshotLimits, usualSnapshotLimits } from "./list-snapshots.ts";
import { ResourceCache } from "./watch-cache.ts";

const prefix = "/registry/configmaps/";

function opened(limits: Partial<SnapshotLimits> = {}) {
  const clock = new VirtualClock();
  const snapshots = new ListSnapshots(clock, { ...usualSnapshotLimits, ...limits });
  const cache = new ResourceCache(configMapKind, 1, snapshots);
  let revision = 1;
  const change = (name: string, bytes: number | undefined) => {
    const key = `${prefix}${name}`;
    revision++;
    const entry = bytes === undefined ? undefined : entryOf(key, bytes, revision);
    const type = entry ? "put" : "delete";
    cache.apply({ type, key, entry, previous: undefined, revision });
    return revision;
  };
  const page = () => cache.keepList(prefix, revision);
  const shown = (at: number, under = prefix) =>
    cache
      .listAt(under, at)
      ?.map((stored) => `${stored.key.slice(prefix.length)}@${stored.revision}`);
  return { clock, snapshots, cache, change, page, shown };
}

const entryOf = (key: string, bytes: number, modRevision: number) => ({
  key,
  value: new Uint8Array(bytes),
  modRevision,
  createRevision: modRevision,
  version: 1,
});

test("ListSnapshots: a list that is read in pages stays as it was, and is known until its next change", () => {
  const { change, page, shown } = opened();
  change("x/a", 1);
  change("x/b", 1);
  page();
  change("x/a", 1);
  change("x/b", undefined);
  change("x/c", 1);
  page();
  change("y/d", 1);
  expect([1, 2, 3, 4, 5, 6, 7, 8].map((revision) => shown(revision)?.join())).toEqual([
    undefined,
    undefined,
    "x/a@2,x/b@3",
    undefined,
    undefined,
    "x/a@4,x/c@6",
    "x/a@4,x/c@6,y/d@7",
    "x/a@4,x/c@6,y/d@7",
  ]);
  expect(shown(6, `${prefix}x/`)).toEqual(undefined);
});

test("ListSnapshots: two clients that read the same list share one, which takes no memory until it changes", () => {
  const { snapshots, change, page } = opened();
  change("x/a", 100);
  change("x/b", 100);
  page();
  page();
  expect([snapshots.count, snapshots.bytes]).toEqual([1, 0]);
  change("x/a", 100);
  // Two references, and the object that nothing else needs any more.
  expect(snapshots.bytes).toEqual(16 + 1000);
  change("x/a", 100);
  expect(snapshots.bytes).toEqual(16 + 1000);
});

test("ListSnapshots: those that pin too much memory are dropped, the least recently used first", () => {
  const { snapshots, change, page, shown } = opened({ bytes: 3000 });
  const first = change("x/a", 100);
  page();
  const second = change("x/a", 100);
  page();
  const third = change("x/b", 100);
  shown(first);
  page();
  expect(snapshots.count).toEqual(3);
  // The second and the third snapshot hold this one, too.
  change("x/a", 150);
  expect([first, second, third].map((revision) => shown(revision) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  change("x/b", 1);
  change("x/c", 1000);
  page();
  change("x/c", 1);
  expect([snapshots.count, snapshots.bytes]).toEqual([0, 0]);
});

test("ListSnapshots: keeps a limited number", () => {
  const { snapshots, change, page, shown } = opened({ count: 2 });
  const revisions = ["a", "b", "c"].map((name) => {
    const revision = change(name, 1);
    page();
    return revision;
  });
  change("d", 1);
  expect(snapshots.count).toEqual(2);
  expect(revisions.map((revision) => shown(revision)?.length)).toEqual([undefined, 2, 3]);
});

test("ListSnapshots: the next change drops a snapshot that was not read for a while", async () => {
  const { clock, snapshots, change, page, shown } = opened();
  const revision = change("a", 1);
  page();
  change("b", 1);
  await clock.advance(50_000);
  expect(shown(revision)).toEqual([`a@${revision}`]);
  await clock.advance(50_000);
  change("c", 1);
  expect(snapshots.count).toEqual(1);
  await clock.advance(50_000);
  change("d", 1);
  expect([snapshots.count, clock.pending]).toEqual([0, 0]);
});

test("ListSnapshots: none is left of a resource that ends, or whose changes were missed", () => {
  for (const end of ["end", "skipTo"] as const) {
    const { snapshots, cache, change, page, shown } = opened();
    const revision = change("a", 1);
    page();
    if (end === "end") cache.end("the resource is no longer served as it was");
    else cache.skipTo(9);
    expect([snapshots.count, shown(revision)]).toEqual([0, end === "end" ? ["a@2"] : undefined]);
  }
});

test("ListSnapshots: a fork has unchanged lists, but no snapshots of earlier ones", () => {
  const { cache, change, page } = opened();
  const old = change("a", 1);
  page();
  const now = change("b", 1);
  const fork = cache.fork(configMapKind, new ListSnapshots(new VirtualClock()));
  expect([fork.listAt(prefix, old), fork.listAt(prefix, now)?.length]).toEqual([undefined, 2]);
});
