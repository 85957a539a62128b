import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import type { StoreError } from "../../store/store.ts";
import { openServer } from "../in-process.test-support.ts";
import { coreKind, openParts } from "../verbs/verb-parts.test-support.ts";
import { bootstrap } from "./bootstrap.ts";

const options = { aggregatesRoles: true };
const keys = async (store: MemoryStore) =>
  (await store.list("/registry/")).entries.map(({ key }) => key);

test("bootstrap: a new cluster has its namespaces, each with a service account, and the system's priority classes", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const names = ["default", "kube-node-lease", "kube-public", "kube-system"];
  const all = await keys(parts.store);
  const others =
    /^\/registry\/((cluster)?role|flowschemas|prioritylevel|apiregistration|configmaps)/;
  expect(all.filter((key) => !others.test(key))).toEqual([
    ...names.map((name) => `/registry/namespaces/${name}`),
    "/registry/priorityclasses/system-cluster-critical",
    "/registry/priorityclasses/system-node-critical",
    ...names.map((name) => `/registry/serviceaccounts/${name}/default`),
  ]);
  const { object } =
    parts.reader.cache.of(coreKind("Namespace")).get("/registry/namespaces/default") ?? {};
  expect(object).toMatchObject({
    metadata: { labels: { "kubernetes.io/metadata.name": "default" } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });
});

test("bootstrap: without the plugin that needs service accounts, none is created", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  await openServer(clock, store, { admission: { disable: ["ServiceAccount"] } });
  expect((await keys(store)).filter((key) => key.includes("/serviceaccounts/"))).toEqual([]);
});

test("bootstrap: existing objects are not changed", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const before = await parts.reader.store.currentRevision();
  await bootstrap(parts, options);
  expect(await parts.reader.store.currentRevision()).toEqual(before);
});

/** The revision of a new cluster that serves all versions, alpha ones too: it has some more objects. */
const created = 4;

test("bootstrap: the history of creating the cluster is compacted, later changes are not", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  const fault = await parts.reader.store
    .list("/", { revision: 2 })
    .catch((error: StoreError) => error);
  expect(fault).toMatchObject({ code: "Compacted", revision: created });
});

test("bootstrap: two servers that start on one store at once create the same cluster as one", async () => {
  const clock = new VirtualClock(0);
  const [shared, alone] = [new MemoryStore(clock), new MemoryStore(clock)];
  const servers = await Promise.all(
    [shared, shared, alone].map((store) => openServer(clock, store)),
  );
  expect(await keys(shared)).toEqual(await keys(alone));
  for (const server of servers) server.close();
});

test("bootstrap: a server that is opened again writes nothing", async () => {
  const clock = new VirtualClock(0);
  const store = new MemoryStore(clock);
  (await openServer(clock, store)).close();
  const before = await store.currentRevision();
  await clock.advance(24 * 60 * 60_000);
  (await openServer(clock, store)).close();
  expect(await store.currentRevision()).toEqual(before);
});

test("bootstrap: a new cluster is created in as few commits as stores allow", async () => {
  const parts = await openParts();
  await bootstrap(parts, options);
  expect(await parts.reader.store.currentRevision()).toEqual(created);
});
