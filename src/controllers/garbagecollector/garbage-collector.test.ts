import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { type Log, noLog } from "../../base/log.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import type { Transport } from "../../client/transport.ts";
import {
  type CollectedCluster,
  collectedCluster,
  configMapsIn,
  ownerRef,
} from "./collected-cluster.test-support.ts";
import { garbageCollector } from "./garbage-collector.ts";

let cluster: CollectedCluster;
let maps: ReturnType<typeof configMapsIn>;
beforeEach(async () => {
  cluster = await collectedCluster();
  maps = configMapsIn(cluster, "default");
});
afterEach(() => cluster.end());

const blocking = { blockOwnerDeletion: true };
const deletions = () =>
  cluster.writes
    .filter(({ method }) => method === "DELETE")
    .map(({ path, body }) => {
      const { propagationPolicy, preconditions } = body as Record<string, unknown>;
      return [path.split("/").at(-1), propagationPolicy, preconditions];
    });

describe("a deployment with its replica set and pod", () => {
  const labels = { app: "web" };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
  };
  /** Follows the order in which they go. */
  async function chain(): Promise<string[]> {
    const deployment = await cluster.client.create(Deployment, { metadata: { name: "d" }, spec });
    const set = await cluster.client.create(ReplicaSet, {
      metadata: { name: "rs", ownerReferences: [ownerRef(deployment, blocking)] },
      spec,
    });
    const metadata = { name: "pod", ownerReferences: [ownerRef(set, blocking)] };
    await cluster.client.create(Pod, { metadata, spec: spec.template.spec });
    await cluster.settled();
    const gone: string[] = [];
    for (const kind of [Deployment, ReplicaSet, Pod] as const) void follow(kind, gone);
    await cluster.settled();
    return gone;
  }
  async function follow(kind: ResourceKind<{ kind: string }>, gone: string[]): Promise<void> {
    for await (const { type, object } of cluster.client.watch(kind, { namespace: "default" }))
      if (type === "DELETED") gone.push((object as { kind: string }).kind);
  }
  const remove = (propagationPolicy: "Orphan" | "Background" | "Foreground") =>
    cluster.client.delete(Deployment, { name: "d" }, { propagationPolicy });

  test("background: the owner is deleted at once, and its dependents after it", async () => {
    const gone = await chain();
    await remove("Background");
    await cluster.settled();
    expect(gone).toEqual(["Deployment", "ReplicaSet", "Pod"]);
    expect(deletions().map(([name, policy]) => [name, policy])).toEqual([
      ["rs", "Background"],
      ["pod", "Background"],
    ]);
  });

  test("foreground: the owner is deleted last, and intermediate owners in the foreground, too", async () => {
    const gone = await chain();
    const marked = await remove("Foreground");
    expect(marked?.metadata).toMatchObject({ finalizers: ["foregroundDeletion"] });
    await cluster.settled();
    expect(gone).toEqual(["Pod", "ReplicaSet", "Deployment"]);
    expect(deletions().map(([name, policy]) => [name, policy])).toEqual([
      ["rs", "Foreground"],
      ["pod", "Background"],
    ]);
  });

  test("orphan: the owner is deleted alone, after its references are removed from dependents", async () => {
    const gone = await chain();
    const marked = await remove("Orphan");
    expect(marked?.metadata).toMatchObject({ finalizers: ["orphan"] });
    await cluster.settled();
    expect(gone).toEqual(["Deployment"]);
    const set = await cluster.client.get(ReplicaSet, { name: "rs" });
    expect(set.metadata.ownerReferences).toBeUndefined();
    expect(set.metadata.deletionTimestamp).toBeUndefined();
    expect((await cluster.client.get(Pod, { name: "pod" })).metadata.ownerReferences).toHaveLength(
      1,
    );
    // The dependent is patched by its uid, and then the owner's finalizer is taken away.
    expect(cluster.writes.map(({ method, path, body }) => [method, path, body])).toMatchObject([
      [
        "PATCH",
        "/apis/apps/v1/namespaces/default/replicasets/rs",
        { metadata: { uid: set.metadata.uid, ownerReferences: [{ $patch: "delete" }] } },
      ],
      [
        "PATCH",
        "/apis/apps/v1/namespaces/default/deployments/d",
        { metadata: { finalizers: null } },
      ],
    ]);
  });
});

test("an owner reference alone is enough for garbage collection", async () => {
  const a = await maps.create("a");
  await maps.create("b");
  const ownerReferences = [ownerRef(a)];
  await cluster.client.patch(
    ConfigMap,
    { name: "b" },
    { merge: { metadata: { ownerReferences } } },
  );
  await cluster.settled();
  await maps.delete("a", "Background");
  expect(await maps.left()).toEqual([]);
});

test("an object is deleted with preconditions on its uid and version", async () => {
  const a = await maps.create("a");
  const { metadata } = await maps.create("b", [ownerRef(a)]);
  await cluster.settled();
  await maps.delete("a", "Background");
  await cluster.settled();
  const { uid, resourceVersion } = metadata;
  expect(deletions()).toEqual([["b", "Background", { uid, resourceVersion }]]);
});

test("one remaining owner keeps an object, and references to the others are removed", async () => {
  const owners = [
    await maps.create("a"),
    await maps.create("b"),
    await maps.create("c", [], ["example.com/x"]),
  ];
  await maps.create(
    "d",
    owners.map((one) => ownerRef(one, blocking)),
  );
  await cluster.settled();
  await maps.delete("a", "Background");
  await maps.delete("c", "Foreground");
  expect(await maps.left()).toEqual(["b", "c", "d"]);
  const { metadata } = (await maps.find("d")) ?? {};
  expect(metadata?.ownerReferences).toMatchObject([{ name: "b" }]);
  await maps.release("c");
  await maps.delete("b", "Background");
  expect(await maps.left()).toEqual([]);
});

test("an owner that was replaced by another of the same name is absent", async () => {
  const a = await maps.create("a");
  await maps.create("stale", [ownerRef(a, { uid: "1234" })]);
  await maps.create("good", [ownerRef(a)]);
  expect(await maps.left()).toEqual(["a", "good"]);
});

test("an object whose owner never existed is deleted, with its dependents", async () => {
  const missing = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" };
  const a = await maps.create("a", [missing]);
  await maps.create("b", [ownerRef(a)]);
  expect(await maps.left()).toEqual([]);
  expect(cluster.graph()).toBe("strict digraph full {\n}\n");
});

test("events are not deleted with their objects", async () => {
  const missing = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "none" };
  await cluster.client.create(Event, {
    metadata: { name: "told", namespace: "default", ownerReferences: [missing] },
    involvedObject: { namespace: "default" },
  });
  await cluster.advance("1m");
  expect(await cluster.client.get(Event, { name: "told" })).toBeTruthy();
  expect(cluster.graph()).toBe("strict digraph full {\n}\n");
});

describe("foreground", () => {
  test("a dependent with a finalizer keeps its owner only if its reference blocks", async () => {
    const [a, b] = [await maps.create("a"), await maps.create("b")];
    await maps.create("held-a", [ownerRef(a, blocking)], ["example.com/hold"]);
    await maps.create("held-b", [ownerRef(b)], ["example.com/hold"]);
    await cluster.settled();
    await maps.delete("a", "Foreground");
    await maps.delete("b", "Foreground");
    expect(await maps.left()).toEqual(["a", "held-a", "held-b"]);
    await maps.release("held-a");
    expect(await maps.left()).toEqual(["held-b"]);
  });

  test("a foreground deletion continues when a dependent stops blocking", async () => {
    const a = await maps.create("a");
    const changes: readonly (readonly [string, readonly OwnerReference[]])[] = [
      ["unblocked", [ownerRef(a, { blockOwnerDeletion: false })]],
      ["forgetting", []],
    ];
    for (const [name] of changes)
      await maps.create(name, [ownerRef(a, blocking)], ["example.com/x"]);
    await cluster.settled();
    await maps.delete("a", "Foreground");
    expect(await maps.left()).toEqual(["a", "forgetting", "unblocked"]);
    for (const [name, ownerReferences] of changes) {
      expect(await maps.find("a")).toBeDefined();
      const metadata = { ownerReferences: [...ownerReferences] };
      await cluster.client.patch(ConfigMap, { name }, { merge: { metadata } });
    }
    expect(await maps.left()).toEqual(["forgetting", "unblocked"]);
  });

  test("a cycle of owners that block each other is deleted", async () => {
    const [a, b, c] = [await maps.create("a"), await maps.create("b"), await maps.create("c")];
    for (const [name, owner] of [
      ["a", c],
      ["b", a],
      ["c", b],
    ] as const) {
      const ownerReferences = [ownerRef(owner, blocking)];
      await cluster.client.patch(ConfigMap, { name }, { merge: { metadata: { ownerReferences } } });
    }
    await cluster.settled();
    await maps.delete("a", "Foreground");
    await cluster.advance("1m");
    expect(await maps.left()).toEqual([]);
  });

  test("an object with a finalizer that loses its owners is deleted with the policy of the finalizer", async () => {
    const a = await maps.create("a");
    const fore = await maps.create("fore", [ownerRef(a)], ["foregroundDeletion"]);
    const orphaning = await maps.create("orphaning", [ownerRef(a)], ["orphan"]);
    await maps.create("of-fore", [ownerRef(fore, blocking)]);
    await maps.create("of-orphaning", [ownerRef(orphaning, blocking)]);
    await cluster.settled();
    await maps.delete("a", "Background");
    expect(await maps.left()).toEqual(["of-orphaning"]);
    const policies = deletions().map(([name, policy]) => `${name} ${policy}`);
    expect(policies.sort()).toEqual(["fore Foreground", "of-fore Background", "orphaning Orphan"]);
  });
});

describe("where an owner is", () => {
  const message = async (): Promise<readonly (string | undefined)[]> => {
    await cluster.advance("1s");
    const { items } = await cluster.client.list(Event);
    return items.map(({ type, reason, message: text }) => `${type} ${reason} ${text}`);
  };

  test("an owner in another namespace is ignored, with a warning event", async () => {
    await cluster.client.create(Namespace, { metadata: { name: "other" } });
    const a = await maps.create("a");
    const elsewhere = configMapsIn(cluster, "other");
    await cluster.settled();
    await elsewhere.create("b", [ownerRef(a)]);
    expect(await elsewhere.left()).toEqual([]);
    expect(await maps.left()).toEqual(["a"]);
    const { uid } = a.metadata;
    expect(await message()).toEqual([
      `Warning OwnerRefInvalidNamespace ownerRef [v1/ConfigMap, namespace: other, name: a, uid: ${uid}] does not exist in namespace "other"`,
    ]);
  });

  test("a cluster-scoped object may own a namespaced one, but not the other way round", async () => {
    const role = await cluster.client.create(ClusterRole, { metadata: { name: "a" } });
    const a = await maps.create("a", [ownerRef(role)]);
    const metadata = { name: "b", ownerReferences: [ownerRef(a)] };
    await cluster.client.create(ClusterRole, { metadata });
    expect(await maps.left()).toEqual(["a"]);
    await cluster.client.delete(ClusterRole, { name: "a" });
    expect(await maps.left()).toEqual([]);
    await cluster.advance("1h");
    expect(await cluster.client.get(ClusterRole, { name: "b" })).toBeDefined();
  });
});

test("a cluster-scoped object with a namespaced owner is kept, even before an informer shows it", async () => {
  await cluster.stop();
  const metadata = { name: "b", ownerReferences: [ownerRef(await maps.create("a"))] };
  const role = await cluster.client.create(ClusterRole, { metadata });
  await cluster.client.create(Namespace, { metadata: { name: "other" } });
  // In the namespace of who refers to the role, there is no owner of it.
  const elsewhere = configMapsIn(cluster, "other");
  await elsewhere.create("c", [ownerRef(role)]);
  let isShown = false;
  const through =
    (transport: Transport): Transport =>
    (request) =>
      request.path.endsWith("/clusterroles") && !isShown
        ? Promise.reject(new Error("not now"))
        : transport(request);
  const next = await collectedCluster({ through }, cluster);
  await next.advance("5m");
  expect(next.writes).toEqual([]);

  // It is still looked for, so that it is known when it goes before it is ever shown.
  await cluster.client.delete(ClusterRole, { name: "b" });
  await next.advance("20m");
  expect(await elsewhere.left()).toEqual([]);
  isShown = true;
  await next.stop();
});

test("an owner of an unknown kind keeps its dependents until discovery shows the kind", async () => {
  const owner = { apiVersion: "example.com/v1", kind: "Nothing", name: "x", uid: "x" };
  await maps.create("a", [owner]);
  await cluster.advance("1h");
  expect(await maps.left()).toEqual(["a"]);
});

test("the graph is shown as a whole or for an object", async () => {
  const a = await maps.create("a");
  const b = await maps.create("b", [ownerRef(a)]);
  const c = await maps.create("c");
  await maps.create("d", [ownerRef(c)]);
  await cluster.settled();
  expect(cluster.graph().match(/->/g)).toHaveLength(2);
  const { uid } = b.metadata;
  expect(cluster.graph(`uid=${uid}`)).toContain(`  "${uid}" -> "${a.metadata.uid}";\n}\n`);
  expect(cluster.graph(`uid=${uid}`)).not.toContain(c.metadata.uid);
  const { debug } = garbageCollector({ concurrency: 1 });
  const other = debug("/other", new URLSearchParams());
  expect(other.status).toBe(404);
  const { status, contentType } = debug("/graph", new URLSearchParams());
  expect([status, contentType]).toEqual([200, "text/vnd.graphviz"]);
});

test("deletions are logged", async () => {
  const lines: string[] = [];
  const note = (message: string, fields: object = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { ...noLog, debug: note, with: () => log };
  await cluster.stop();
  const next = await collectedCluster({ log }, cluster);
  const missing = { apiVersion: "v1", kind: "ConfigMap", name: "none", uid: "1" };
  const { metadata } = await maps.create("a", [missing]);
  await next.settled();
  const item = `[v1/ConfigMap, namespace: default, name: a, uid: ${metadata.uid}]`;
  const owner = "[v1/ConfigMap, namespace: default, name: none, uid: 1]";
  expect(lines).toEqual([
    `processing item {"item":"${owner}","virtual":true}`,
    `item not found, generating a virtual delete event {"item":"${owner}"}`,
    `processing item {"item":"${item}","virtual":false}`,
    `according to the absentOwnerCache, item's owner does not exist {"item":"${item}","owner":"${owner}"}`,
    `classify item's references {"item":"${item}","solid":[],"dangling":["1"],"waitingForDependentsDeletion":[]}`,
    `deleting item {"item":"${item}","propagationPolicy":"Background"}`,
  ]);
  await next.stop();
});

test("running deletions continue after a restart", async () => {
  const [a, b] = [await maps.create("a"), await maps.create("b")];
  await maps.create("of-a", [ownerRef(a, blocking)]);
  await maps.create("of-b", [ownerRef(b)]);
  const c = await maps.create("c");
  await maps.create("of-c", [ownerRef(c)]);
  await cluster.stop();
  await maps.delete("a", "Foreground");
  await maps.delete("b", "Orphan");
  await maps.delete("c", "Background");
  const next = await collectedCluster({}, cluster);
  expect(await maps.left()).toEqual(["of-b"]);
  expect((await maps.find("of-b"))?.metadata.ownerReferences).toBeUndefined();
  await next.stop();
});

test("an owner that changes all the time is still orphaned", async () => {
  await cluster.stop();
  let conflicts = 0;
  const through =
    (transport: Transport): Transport =>
    async (request) => {
      if (request.method === "PATCH" && request.path.endsWith("/a") && conflicts < 6) {
        conflicts++;
        const merge = { data: { count: `${conflicts}` } };
        await cluster.client.patch(ConfigMap, { name: "a" }, { merge });
      }
      return transport(request);
    };
  const next = await collectedCluster({ through }, cluster);
  const a = await maps.create("a");
  await maps.create("b", [ownerRef(a)]);
  await next.settled();
  await maps.delete("a", "Orphan");
  await next.advance("10s");
  expect(await maps.left()).toEqual(["b"]);
  expect(conflicts).toBe(6);
  await next.stop();
});

test("an object that changes meanwhile is deleted if its owners stay the same", async () => {
  await cluster.stop();
  let owners: OwnerReference[] | undefined;
  let deletions = 0;
  const through =
    (transport: Transport): Transport =>
    async (request) => {
      if (request.method === "DELETE" && deletions++ === 0) {
        const metadata = owners ? { ownerReferences: owners } : { labels: { a: "b" } };
        await cluster.client.patch(ConfigMap, { name: "b" }, { merge: { metadata } });
      }
      return transport(request);
    };
  const next = await collectedCluster({ through }, cluster);
  const a = await maps.create("a");
  await maps.create("b", [ownerRef(a)]);
  await next.settled();
  await maps.delete("a", "Background");
  expect(await maps.left()).toEqual([]);
  expect(deletions).toBe(2);

  deletions = 0;
  const [c, d] = [await maps.create("c"), await maps.create("d")];
  owners = [ownerRef(c), ownerRef(d)];
  await maps.create("b", [ownerRef(c)]);
  await next.settled();
  await maps.delete("c", "Background");
  await next.advance("1s");
  expect(await maps.left()).toEqual(["b", "d"]);
  await next.stop();
});
