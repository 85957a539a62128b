import { expect, test, vi } from "vitest";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Event } from "../api/core/v1/event/event.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { RoleBinding } from "../api/rbac/v1/role-binding.ts";
import { TokenRequest } from "../client/subresource-kinds.ts";
import type { Cluster } from "./cluster.ts";
import { startCluster } from "./start-cluster.ts";

const pod = {
  metadata: { generateName: "web-" },
  spec: { containers: [{ name: "web", image: "web" }] },
};

test("a cluster starts at once, with the real API server", async () => {
  await using cluster = await startCluster();
  const { client } = cluster;
  const created = await client.create(Pod, pod);
  expect(created.spec.serviceAccountName).toBe("default");
  expect(await client.list(Pod)).toMatchObject({ items: [created] });
  expect(Date.parse(created.metadata.creationTimestamp ?? "")).toBeGreaterThan(Date.now() - 5000);
  await expect(client.create(Pod, { metadata: { name: "x" } } as never)).rejects.toMatchObject({
    message: expect.stringContaining("spec.containers: Required value"),
  });
});

test("clusters share nothing, and neither do a cluster and its forks", async () => {
  await using first = await startCluster();
  await using second = await startCluster();
  await first.client.create(ConfigMap, { metadata: { name: "a" } });
  await using fork = first.fork();
  await fork.client.delete(ConfigMap, { name: "a" });
  await first.client.create(ConfigMap, { metadata: { name: "b" } });
  await using grandchild = fork.fork();
  await grandchild.client.create(ConfigMap, { metadata: { name: "c" } });
  expect(await Promise.all([first, second, fork, grandchild].map(namesIn))).toEqual([
    ["a", "b"],
    [],
    [],
    ["c"],
  ]);
});

const namesIn = async ({ client }: Cluster): Promise<unknown[]> =>
  (await client.list(ConfigMap, { namespace: "default" })).items.map(
    ({ metadata }) => metadata.name,
  );

test("after the first, clusters start in milliseconds; a hundred fit into one process", async () => {
  await (await startCluster()).close();
  const times: number[] = [];
  const clusters: Cluster[] = [];
  for (let i = 0; i < 100; i++) {
    const begun = performance.now();
    clusters.push(await startCluster({ seed: i }));
    times.push(performance.now() - begun);
  }
  await Promise.all(
    clusters.map(({ client }, i) => client.create(ConfigMap, { metadata: { name: `only-${i}` } })),
  );
  expect(await Promise.all(clusters.map(namesIn))).toEqual(clusters.map((_, i) => [`only-${i}`]));
  expect(times.sort((a, b) => a - b)[50]).toBeLessThan(30);
  await Promise.all(clusters.map((cluster) => cluster.close()));
});

async function story(seed: number): Promise<string> {
  await using cluster = await startCluster({ clock: "virtual", seed, namespace: "team" });
  const { client } = cluster;
  const results: unknown[] = [cluster.random.next()];
  results.push(await client.create(Pod, pod));
  await cluster.advance("90s");
  results.push(await client.create(Pod, pod));
  const account = client.subresource(ServiceAccount, { name: "default" }, "token");
  results.push(await account.create(TokenRequest, { spec: { audiences: [] } }));
  await using fork = cluster.fork();
  results.push(await fork.client.create(Pod, pod), fork.random.next());
  results.push(await client.create(Pod, pod), await client.list(Pod));
  return JSON.stringify(results);
}

test("with the virtual clock, equal seeds and requests lead to equal objects", async () => {
  const [first, again, other] = [await story(1), await story(1), await story(2)];
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test("time stands still until it is advanced, and timers fire on the way", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client, clock } = cluster;
  expect(new Date(clock.now()).toJSON()).toBe("2026-01-01T00:00:00.000Z");
  const event = { metadata: { name: "e" }, involvedObject: { namespace: "default" } };
  await client.create(Event, event);
  const seen: string[] = [];
  clock.setTimer(30_000, () => seen.push(new Date(clock.now()).toJSON()));
  await cluster.advance("59m");
  expect((await client.list(Event)).items.length).toBe(1);
  await cluster.advance(61_000);
  expect((await client.list(Event)).items.length).toBe(0);
  expect([seen, new Date(clock.now()).toJSON()]).toEqual([
    ["2026-01-01T00:00:30.000Z"],
    "2026-01-01T01:00:01.000Z",
  ]);
  await expect(cluster.advance("soon")).rejects.toThrow('invalid duration "soon"');
  await expect(cluster.advance(-1)).rejects.toThrow("time does not go on by -1");
  await using real = await startCluster();
  await expect(real.advance(1)).rejects.toThrow("only a virtual clock can be advanced");
});

test("settled: all work has finished, however long the chain of requests", async () => {
  await using cluster = await startCluster({ clock: "virtual" });
  const { client } = cluster;
  const ending = new AbortController();
  const following = (async () => {
    for await (const { type, object } of client.watch(ConfigMap, {
      namespace: "default",
      signal: ending.signal,
    })) {
      const step = Number((object.metadata as { name?: string }).name?.slice(1));
      if (type === "ADDED" && step < 50)
        await client.create(ConfigMap, { metadata: { name: `n${step + 1}` } });
    }
  })();
  await cluster.settled();
  await client.create(ConfigMap, { metadata: { name: "n0" } });
  await cluster.settled();
  expect((await namesIn(cluster)).length).toBe(51);
  ending.abort();
  await following.catch(() => {});
});

test("as: users have the permissions of their roles", async () => {
  await using cluster = await startCluster({ namespace: "team" });
  const { client } = cluster;
  await client.create(RoleBinding, {
    metadata: { name: "viewers", namespace: "team" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "ann" }],
  });
  const ann = cluster.as("ann");
  expect((await ann.list(Pod, { namespace: "team" })).items).toEqual([]);
  await expect(ann.create(Pod, pod)).rejects.toMatchObject({ reason: "Forbidden" });
  const root = cluster.as({ user: "root", groups: ["system:masters"] });
  expect(await root.create(Pod, pod)).toMatchObject({ metadata: { namespace: "team" } });
});

test("runtimeConfig serves unstable kinds", async () => {
  const path = "/apis/resource.k8s.io/v1alpha3/devicetaintrules";
  const statusOf = async (cluster: Cluster): Promise<number> =>
    (await cluster.client.raw({ method: "GET", path })).status;
  await using usual = await startCluster();
  await using more = await startCluster({ runtimeConfig: { "api/all": true } });
  expect([await statusOf(usual), await statusOf(more)]).toEqual([404, 200]);
});

test("controllers of kinds that are not served wait, and the others work", async () => {
  await using cluster = await startCluster({
    clock: "virtual",
    nodes: 1,
    runtimeConfig: { "apps/v1": false, "batch/v1": false, "policy/v1": false },
  });
  await cluster.advance("5m");
  await cluster.client.create(Namespace, { metadata: { name: "team" } });
  await cluster.settled();
  const { items } = await cluster.client.list(ServiceAccount, { namespace: "team" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["default"]);
});

test("a closed cluster rejects requests, and can be closed again", async () => {
  const cluster = await startCluster();
  const watching = (async () => {
    for await (const _ of cluster.client.watch(Namespace));
  })();
  await cluster.settled();
  const fork = cluster.fork();
  await cluster.close();
  await cluster.close();
  await watching;
  await expect(cluster.client.list(Pod)).rejects.toThrow("the cluster is closed");
  expect((await fork.client.list(Namespace)).items.length).toBe(4);
  await fork.close();
});

test("a test runner's fake timers do not affect the cluster", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setImmediate", "queueMicrotask", "Date"] });
  try {
    await using cluster = await startCluster();
    await using fork = cluster.fork();
    await fork.client.create(ConfigMap, { metadata: { name: "a" } });
    await new Promise<void>((resolve) => void fork.clock.setTimer(1, resolve));
    await fork.settled();
    expect(await namesIn(fork)).toEqual(["a"]);
  } finally {
    vi.useRealTimers();
  }
});
