import { afterEach, beforeEach, expect, test } from "vitest";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { createClient } from "../client/client.ts";
import type { ReconcileContext } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Cluster } from "../testing/cluster.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { claimObjects } from "./claim-objects.ts";

let cluster: Cluster;
/** What is called, as in `GET replicasets/web`. */
let calls: string[];
beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual", namespace: "default" });
  calls = [];
});
afterEach(() => cluster.close());

const labels = { app: "web" };
const spec = { containers: [{ name: "web", image: "nginx" }] };
const replicaSet = (finalizers: string[] = []) =>
  cluster.client.create(ReplicaSet, {
    metadata: { name: "web", finalizers },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  });
const orphan = (name: string) => cluster.client.create(Pod, { metadata: { name, labels }, spec });
const remove = (owner: ReplicaSet) =>
  cluster.client.delete(ReplicaSet, { name: owner.metadata.name ?? "" });

/** Has an owner, as somebody knows it, claim all pods; the names of those that are its own then. */
async function claim(owner: ReplicaSet, pods: readonly Pod[], matches = true) {
  const client = createClient((request) => {
    calls.push(`${request.method} ${request.path.split("/").slice(-2).join("/")}`);
    return cluster.transport(request);
  }, cluster);
  const ctx = { client, signal: new AbortController().signal } as ReconcileContext;
  const claims = { owner, ownerKind: ReplicaSet, kind: Pod, matches: () => matches };
  return (await claimObjects(ctx, claims, pods)).map(({ metadata }) => metadata.name);
}
const ownersOf = async (name: string) =>
  (await cluster.client.get(Pod, { name })).metadata.ownerReferences ?? [];

test("claimObjects: orphans are adopted after the owner was read once", async () => {
  const owner = await replicaSet();
  expect(await claim(owner, [await orphan("a"), await orphan("b")])).toEqual(["a", "b"]);
  expect(calls).toEqual(["GET replicasets/web", "PATCH pods/a", "PATCH pods/b"]);
  expect(await ownersOf("a")).toMatchObject([
    { uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
  ]);
});

test("claimObjects: the owner is not read if there is nothing to adopt", async () => {
  const owner = await replicaSet();
  await claim(owner, [await orphan("a")]);
  calls = [];
  expect(await claim(owner, [await cluster.client.get(Pod, { name: "a" })])).toEqual(["a"]);
  expect(calls).toEqual([]);
});

test("claimObjects: an owner that was replaced adopts nothing", async () => {
  const owner = await replicaSet();
  await remove(owner);
  const { metadata } = await replicaSet();
  const pod = await orphan("a");
  await expect(claim(owner, [pod])).rejects.toThrow(
    `can't adopt Pod default/a (${pod.metadata.uid}): original ReplicaSet default/web is gone: got uid ${metadata.uid}, wanted ${owner.metadata.uid}`,
  );
  expect(await ownersOf("a")).toEqual([]);
});

test("claimObjects: an owner that is being deleted adopts nothing", async () => {
  const owner = await replicaSet(["example.com/wait"]);
  await remove(owner);
  await expect(claim(owner, [await orphan("a"), await orphan("b")])).rejects.toMatchObject({
    errors: ["a", "b"].map((name) => ({
      message: expect.stringMatching(
        new RegExp(`^can't adopt Pod default/${name} .*: default/web has just been deleted at `),
      ),
    })),
  });
  expect(await ownersOf("b")).toEqual([]);
});

test("claimObjects: objects that no longer match are released, and deleted ones are no error", async () => {
  const owner = await replicaSet();
  await claim(owner, [await orphan("a"), await orphan("b")]);
  const both = (await cluster.client.list(Pod, { namespace: "default" })).items;
  await cluster.client.delete(Pod, { name: "b" });
  expect(await claim(owner, both, false)).toEqual([]);
  expect(await ownersOf("a")).toEqual([]);
});
