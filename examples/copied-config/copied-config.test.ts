import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap, Event, Namespace } from "wherry/api";
import { withChanges } from "wherry/client";
import { createManager, type Manager } from "wherry/controller";
import { type Cluster, startCluster } from "wherry/testing";
import { copiedConfig, copyOf, copyTo, finalizer } from "./copied-config.ts";

let cluster: Cluster;
let manager: Manager;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual" });
  for (const name of ["team-a", "team-b"])
    await cluster.client.create(Namespace, { metadata: { name } });
  stop = new AbortController();
  manager = createManager({ ...cluster, controllers: [copiedConfig] });
  running = manager.run({ signal: stop.signal });
  await cluster.settled();
});
afterEach(async () => {
  stop.abort();
  await cluster.advance("1s");
  await running;
  await cluster.close();
});

const source = (to: string, data: Record<string, string> = { colour: "blue" }) => ({
  metadata: { name: "theme", annotations: { [copyTo]: to } },
  data,
});

/** The namespaces that have the ConfigMap, and its value there. */
async function colours(): Promise<Record<string, string | undefined>> {
  const { items } = await cluster.client.list(ConfigMap, {
    fieldSelector: { "metadata.name": "theme" },
  });
  return Object.fromEntries(
    items.map(({ metadata, data }) => [metadata.namespace ?? "", data?.colour]),
  );
}

test("a ConfigMap is copied into the namespaces in its annotation, and the copies follow its changes", async () => {
  const created = await cluster.client.create(ConfigMap, source("team-a, team-b"));
  await cluster.settled();
  expect(await colours()).toEqual({ default: "blue", "team-a": "blue", "team-b": "blue" });
  const copy = await cluster.client.get(ConfigMap, { namespace: "team-a", name: "theme" });
  expect(copy.metadata.annotations).toEqual({ [copyOf]: "default/theme" });

  await cluster.client.patch(ConfigMap, { name: "theme" }, { merge: { data: { colour: "red" } } });
  await cluster.settled();
  expect(await colours()).toEqual({ default: "red", "team-a": "red", "team-b": "red" });
  expect(created.metadata.uid).not.toBe(copy.metadata.uid);
});

test("a copy that a user changes or deletes is restored", async () => {
  await cluster.client.create(ConfigMap, source("team-a,team-b"));
  await cluster.settled();
  const copy = await cluster.client.get(ConfigMap, { namespace: "team-a", name: "theme" });
  await cluster.client.update(
    ConfigMap,
    withChanges(copy, (draft) => {
      draft.data = { colour: "green" };
    }),
  );
  await cluster.client.delete(ConfigMap, { namespace: "team-b", name: "theme" });
  await cluster.settled();
  expect(await colours()).toEqual({ default: "blue", "team-a": "blue", "team-b": "blue" });
});

test("copies that are no longer wanted are deleted, and a new namespace gets its copy", async () => {
  await cluster.client.create(ConfigMap, source("*"));
  await cluster.settled();
  await cluster.client.create(Namespace, { metadata: { name: "team-c" } });
  await cluster.settled();
  expect(await colours()).toMatchObject({ "team-a": "blue", "team-c": "blue" });

  const annotations = { [copyTo]: "team-c" };
  await cluster.client.patch(
    ConfigMap,
    { name: "theme" },
    { merge: { metadata: { annotations } } },
  );
  await cluster.settled();
  expect(await colours()).toEqual({ default: "blue", "team-c": "blue" });
});

test("a ConfigMap is kept until its copies are deleted", async () => {
  await cluster.client.create(ConfigMap, source("team-a"));
  await cluster.settled();
  const { metadata } = await cluster.client.get(ConfigMap, { name: "theme" });
  expect(metadata.finalizers).toEqual([finalizer]);
  await cluster.client.delete(ConfigMap, { name: "theme" });
  await cluster.settled();
  expect(await colours()).toEqual({});
});

test("a ConfigMap of another owner is left alone, and an event says so", async () => {
  await cluster.client.create(ConfigMap, {
    metadata: { name: "theme", namespace: "team-a" },
    data: { colour: "own" },
  });
  await cluster.client.create(ConfigMap, source("team-a,team-b"));
  await cluster.settled();
  expect(await colours()).toEqual({ default: "blue", "team-a": "own", "team-b": "blue" });
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  expect(items.map(({ reason }) => reason).sort()).toEqual(["Copied", "NotCopied"]);
});

test("a manager that starts later makes up for missed changes", async () => {
  stop.abort();
  await cluster.advance("1s");
  await running;
  await cluster.client.create(ConfigMap, source("team-b"));
  const later = cluster.fork();
  const ending = new AbortController();
  const done = createManager({ ...later, controllers: [copiedConfig] }).run({
    signal: ending.signal,
  });
  await later.settled();
  const copy = await later.client.get(ConfigMap, { namespace: "team-b", name: "theme" });
  expect(copy.data).toEqual({ colour: "blue" });
  expect(await colours()).toEqual({ default: "blue" });
  ending.abort();
  await later.advance("1s");
  await done;
  await later.close();
});
