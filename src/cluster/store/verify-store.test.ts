import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { Entry, Op, Store, WatchBatch } from "../../store/store.ts";
import { configMap, put, putText } from "./store-command.test-support.ts";
import { verifyStore } from "./verify-store.ts";

const map = "/registry/configmaps/default/m";
const commits: readonly (readonly Op[])[] = [
  [put(map, configMap({ a: "1" }))],
  [put(map, configMap({ a: "2" })), putText("compact_rev_key", "7")],
  [putText("/registry/secrets/default/s", "k8s:enc:aescbc:v1:key:…")],
  [{ type: "delete", key: map }],
  [put(map, configMap({ a: "3" }))],
];

async function filled(ops: readonly (readonly Op[])[], compacted?: number): Promise<MemoryStore> {
  const store = new MemoryStore(new VirtualClock());
  for (const commit of ops) await store.commit(commit);
  if (compacted !== undefined) await store.compact(compacted);
  return store;
}

/** The reported checks, and the violation if one was found. */
async function verified(store: Store): Promise<string[]> {
  const told: string[] = [];
  await verifyStore(store, (text) => told.push(text)).catch((error: Error) =>
    told.push(`${error.name}: ${error.message}`),
  );
  return told;
}

/** The first violation of a store whose reads are altered. */
const found = async (broken: (store: Store) => Partial<Store>): Promise<string | undefined> => {
  const store = await filled(commits);
  const inner: Store = {
    currentRevision: () => store.currentRevision(),
    get: (key, revision) => store.get(key, revision),
    list: (prefix, options) => store.list(prefix, options),
    commit: (ops) => store.commit(ops),
    watch: (prefix, options) => store.watch(prefix, options),
    subscribe: (prefix, options, subscriber) => store.subscribe(prefix, options, subscriber),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
  };
  return (await verified({ ...inner, ...broken(inner) })).at(-1);
};

/** A store whose listed entries are altered. */
const listing =
  (change: (entries: readonly Entry[]) => readonly Entry[]) =>
  (store: Store): Partial<Store> => ({
    async list(prefix, options) {
      const page = await store.list(prefix, options);
      return options?.revision === 6 ? { ...page, entries: change(page.entries) } : page;
    },
  });

/** A store whose watched batches are altered. */
const watching =
  (change: (batch: WatchBatch) => readonly WatchBatch[]) =>
  (store: Store): Partial<Store> => ({
    async *watch(prefix, options) {
      for await (const batch of store.watch(prefix, options)) yield* change(batch);
    },
  });

const only = (key: string, change: Partial<Entry>) =>
  listing((entries) => entries.map((one) => (one.key === key ? { ...one, ...change } : one)));

describe("verifyStore", () => {
  test("reports the checks of a consistent store", async () => {
    expect(await verified(await filled(commits))).toEqual([
      "3 keys at revision 6: order and counts",
      "1 object: decoded, and named like its key",
      "1 value as bytes only: it is encrypted (k8s:enc:aescbc:v1:key:)",
      "1 value as bytes only: it is not a Kubernetes object",
      "5 commits after revision 1: consistent with the current keys",
    ]);
    expect(await verified(await filled(commits, 4))).toContain(
      "2 commits after revision 4: consistent with the current keys",
    );
    expect(await verified(await filled([]))).toEqual([
      "0 keys at revision 1: order and counts",
      "0 objects: decoded, and named like their keys",
      "0 commits after revision 1: consistent with the current keys",
    ]);
  });
  test("an unknown kind is not a violation", async () => {
    const slice = envelope({
      apiVersion: "discovery.k8s.io/v1beta1",
      kind: "EndpointSlice",
      raw: new Uint8Array(),
    });
    const key = "/registry/endpointslices/default/a";
    expect(await verified(await filled([[{ type: "put", key, value: slice }]]))).toContain(
      "1 value as bytes only: kind EndpointSlice of discovery.k8s.io/v1beta1 is unknown",
    );
  });
  test.each([
    [
      "a truncated object",
      [{ ...put(map, configMap({})), value: put(map, configMap({})).value.subarray(0, 40) }],
      expect.stringMatching(`^Violation: ${map}: .* at byte \\d+$`),
    ],
    [
      "an object that cannot be decoded",
      [putText("/registry/pods/default/a", "x")],
      "/registry/pods/default/a: it is not a Kubernetes object",
    ],
    [
      "an object under the key of another one",
      [put("/registry/configmaps/default/other", configMap({}))],
      "/registry/configmaps/default/other holds an object with another name: ConfigMap default/m",
    ],
    [
      "an object in another namespace",
      [put("/registry/configmaps/elsewhere/m", configMap({}))],
      "/registry/configmaps/elsewhere/m holds an object with another name: ConfigMap default/m",
    ],
    [
      "a stored resource version",
      [
        putText(
          "/registry/example.com/things/a",
          '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","resourceVersion":"5"}}',
        ),
      ],
      "/registry/example.com/things/a holds a stored resource version: 5",
    ],
    [
      "a uid of two objects",
      ["a", "b"].map((name) =>
        putText(
          `/registry/example.com/things/${name}`,
          `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"${name}","uid":"1-2"}}`,
        ),
      ),
      "/registry/example.com/things/b has the uid of /registry/example.com/things/a: 1-2",
    ],
  ])("finds %s", async (_, ops, violation) => {
    expect(await verified(await filled([ops]))).toEqual([
      typeof violation === "string" ? `Violation: ${violation}` : violation,
    ]);
  });
  test.each([
    [
      "keys out of order",
      listing((entries) => [...entries].reverse()),
      `/registry/secrets/default/s is out of order: it comes after compact_rev_key`,
    ],
    [
      "a wrong version",
      only("compact_rev_key", { version: 2 }),
      "compact_rev_key has inconsistent counts: created at 3, written at 3, version 2",
    ],
    [
      "more versions than revisions",
      only("compact_rev_key", { createRevision: 2, version: 3 }),
      "compact_rev_key has inconsistent counts: created at 2, written at 3, version 3",
    ],
    [
      "revisions in the future",
      only("compact_rev_key", { createRevision: 7, modRevision: 7 }),
      "compact_rev_key has inconsistent counts: created at 7, written at 7, version 1",
    ],
    [
      "a lost key",
      listing((entries) => entries.filter(({ key }) => key !== "compact_rev_key")),
      "compact_rev_key does not exist at revision 6, but by its history it does",
    ],
    [
      "a key without history",
      listing((entries) => [
        ...entries,
        { key: "x", value: new Uint8Array(), createRevision: 2, modRevision: 2, version: 1 },
      ]),
      "x exists at revision 6 (created at 2, written at 2, version 1), but by its history it does not",
    ],
    [
      "a lost write",
      only(map, { createRevision: 2, modRevision: 3, version: 2 }),
      `${map} exists at revision 6 (created at 2, written at 3, version 2), but by its history it is created at 6, written at 6, version 1`,
    ],
    [
      "a missing commit",
      watching((batch) => (batch.revision === 4 ? [] : [batch])),
      "revision 4 is missing: 5 follows 3",
    ],
    [
      "a missing event",
      watching((batch) => [batch.revision === 3 ? { ...batch, events: [] } : batch]),
      `revision 5 of ${map} follows revision 3, but the key was at 2`,
    ],
    [
      "a repeated event",
      watching((batch) => [
        batch.revision === 5 ? { ...batch, events: [...batch.events, ...batch.events] } : batch,
      ]),
      `revision 5 of ${map} follows revision 3, but the key was at 0`,
    ],
  ])("finds %s", async (_, broken, violation) => {
    expect(await found(broken)).toBe(`Violation: ${violation}`);
  });
});
