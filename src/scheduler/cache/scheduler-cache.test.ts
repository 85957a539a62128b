import { expect, test } from "vitest";
import { aNode, aPodInfo, type PodParts } from "../framework/framework.test-support.ts";
import { NodeTree } from "./node-tree.ts";
import { SchedulerCache } from "./scheduler-cache.ts";

const on = (node: string, name: string, more: PodParts = {}) =>
  aPodInfo(name, { requests: { cpu: "1" }, ...more, spec: { ...more.spec, nodeName: node } });

function cacheWith(...nodes: string[]) {
  const cache = new SchedulerCache();
  for (const name of nodes) cache.setNode(aNode(name));
  const snapshot = cache.newSnapshot();
  const used = () => {
    cache.update(snapshot);
    return Object.fromEntries(snapshot.nodes.map((node) => [node.name, node.requested.milliCpu]));
  };
  return { cache, snapshot, used };
}

test("an assumed pod uses resources of its node at once", () => {
  const { cache, used } = cacheWith("a", "b");
  cache.assume(on("a", "p"));
  expect(used()).toEqual({ a: 1000, b: 0 });
  expect(cache.isAssumed("p")).toBe(true);
  expect(() => cache.assume(on("b", "p"))).toThrow("is in the cache, so can't be assumed");
});

test("an assumed pod that could not be bound is forgotten", () => {
  const { cache, used } = cacheWith("a");
  cache.assume(on("a", "p"));
  cache.forget(on("a", "p"));
  expect(used()).toEqual({ a: 0 });
  expect(() => cache.forget(on("a", "p"))).not.toThrow();
});

test("an assumed pod that is bound counts once, and can no longer be forgotten", () => {
  const { cache, used } = cacheWith("a", "b");
  cache.assume(on("a", "p"));
  cache.addPod(on("b", "p"));
  expect(used()).toEqual({ a: 0, b: 1000 });
  expect(cache.isAssumed("p")).toBe(false);
  expect(() => cache.forget(on("b", "p"))).toThrow("wasn't assumed so cannot be forgotten");
});

test("an assumed pod does not expire", () => {
  const { cache, used } = cacheWith("a");
  cache.assume(on("a", "p"));
  for (let i = 0; i < 3; i++) expect(used()).toEqual({ a: 1000 });
  expect(cache.sizes).toEqual({ nodes: 1, pods: 1, assumed: 1 });
});

test("an updated pod moves to the end, and the last pod takes its place, whatever has changed", () => {
  const port = { containers: [{ name: "c", ports: [{ containerPort: 1, hostPort: 1 }] }] };
  for (const spec of [{}, port]) {
    const { cache, snapshot } = cacheWith("n");
    for (const name of ["a", "b", "c"]) cache.addPod(on("n", name, { spec }));
    for (const name of ["a", "b", "c"])
      cache.addPod(on("n", name, { spec, status: { phase: "Running" } }));
    cache.update(snapshot);
    expect(snapshot.get("n")?.pods.map(({ name }) => name)).toEqual(["b", "a", "c"]);
  }
});

test("updates and removals of pods change the totals", () => {
  const { cache, used } = cacheWith("a");
  cache.addPod(on("a", "p"));
  cache.addPod(on("a", "p", { requests: { cpu: "3" } }));
  expect(used()).toEqual({ a: 3000 });
  cache.removePod("p");
  cache.removePod("p");
  expect(used()).toEqual({ a: 0 });
});

test("a pod updated without a change of its totals is replaced", () => {
  const { cache, snapshot, used } = cacheWith("a");
  cache.assume(on("a", "p"));
  cache.addPod(on("a", "q"));
  used();
  const before = snapshot.nodes[0];
  const confirmed = on("a", "p");
  cache.addPod(confirmed);
  expect(used()).toEqual({ a: 2000 });
  expect(snapshot.nodes[0]?.pods).toContain(confirmed);
  expect(snapshot.nodes[0]?.pods.map(({ name }) => name)).toEqual(["q", "p"]);
  expect(snapshot.nodes[0]?.generation).toBeGreaterThan(before?.generation ?? 0);
  expect(before?.pods).not.toContain(confirmed);
  expect(cache.pod("p")).toBe(confirmed);
  expect(cache.isAssumed("p")).toBe(false);
  cache.removePod("p");
  expect(used()).toEqual({ a: 1000 });
});

const differences: readonly [string, PodParts][] = [
  [
    "a port",
    { spec: { containers: [{ name: "c", ports: [{ containerPort: 1, hostPort: 80 }] }] } },
  ],
  ["labels", { labels: { app: "web" } }],
  ["an extended resource", { requests: { cpu: "1", "example.com/gpu": "2" } }],
  ["another pod to be near to", { spec: { affinity: { podAffinity: {} } } }],
];

test.each(differences)("a pod that gets %s is counted again", (_, more) => {
  const [one, other] = [cacheWith("a"), cacheWith("a")];
  const later = on("a", "p", more);
  one.cache.addPod(on("a", "p"));
  one.cache.addPod(later);
  other.cache.addPod(later);
  for (const { used } of [one, other]) used();
  const counted = ({ snapshot }: typeof one) => {
    const info = snapshot.nodes[0];
    return {
      requested: info?.requested,
      alike: [...(info?.similarPods ?? [])],
      ports: info?.usedPorts,
      affine: info?.podsWithAffinity,
      pods: info?.pods,
    };
  };
  expect(counted(one)).toEqual(counted(other));
});

test("pods of nodes that are unknown or deleted are kept", () => {
  const { cache, used } = cacheWith();
  cache.addPod(on("a", "p"));
  expect(used()).toEqual({});
  cache.setNode(aNode("a"));
  expect(used()).toEqual({ a: 1000 });
  cache.removeNode("a");
  expect(used()).toEqual({});
  expect(cache.dump()).toMatchObject([{ name: "a", isDeleted: true, pods: ["default/p"] }]);
  cache.removePod("p");
  expect(cache.sizes).toEqual({ nodes: 0, pods: 0, assumed: 0 });
});

test("a snapshot is constant, and the next one copies only changed nodes", () => {
  const { cache, snapshot, used } = cacheWith("a", "b");
  used();
  const [a, b] = snapshot.nodes;
  cache.assume(on("a", "p"));
  expect(a?.requested.milliCpu).toBe(0);
  used();
  expect(snapshot.nodes[0]).not.toBe(a);
  expect(snapshot.nodes[1]).toBe(b);
  expect(snapshot.get("a")).toBe(snapshot.nodes[0]);
});

test("a snapshot lists the nodes with pods that have affinity terms", () => {
  const { cache, snapshot, used } = cacheWith("a", "b");
  const affinity = {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone" }] },
  };
  cache.addPod(on("b", "p", { spec: { affinity } }));
  used();
  expect(snapshot.nodesWithAffinity.map(({ name }) => name)).toEqual(["b"]);
  expect(snapshot.nodesWithRequiredAntiAffinity.map(({ name }) => name)).toEqual(["b"]);
  cache.removePod("p");
  used();
  expect(snapshot.nodesWithAffinity).toEqual([]);
});

test("an image counts the nodes that have it", () => {
  const { cache, snapshot } = cacheWith();
  const images = [{ names: ["web:1"], sizeBytes: 100 }];
  for (const name of ["a", "b"]) cache.setNode(aNode(name, { status: { images } }));
  cache.update(snapshot);
  expect(snapshot.image("web:1")).toMatchObject({ size: 100, nodes: 2 });
  expect(snapshot.get("a")?.images.get("web:1")?.nodes).toBe(2);
  cache.setNode(aNode("a", { status: { images: [] } }));
  cache.removeNode("b");
  expect(snapshot.image("web:1")).toBeUndefined();
});

test("an image that has lost its names is not counted", () => {
  const { cache, snapshot } = cacheWith();
  const images = [
    { names: null, sizeBytes: 50 },
    { names: ["web:1"], sizeBytes: 100 },
  ] as never;
  cache.setNode(aNode("a", { status: { images } }));
  cache.update(snapshot);
  expect(snapshot.image("web:1")).toMatchObject({ size: 100, nodes: 1 });
  cache.removeNode("a");
  expect(snapshot.image("web:1")).toBeUndefined();
});

test("NodeTree: alternates between zones", () => {
  const tree = new NodeTree();
  const inZone = (name: string, zone: string) =>
    aNode(name, { labels: { "topology.kubernetes.io/zone": zone } });
  for (const node of [inZone("a1", "a"), inZone("a2", "a"), inZone("a3", "a"), inZone("b1", "b")])
    tree.add(node);
  tree.add(inZone("a1", "a"));
  expect(tree.names()).toEqual(["a1", "b1", "a2", "a3"]);
  tree.update(inZone("a2", "a"), inZone("a2", "b"));
  expect(tree.names()).toEqual(["a1", "b1", "a3", "a2"]);
  tree.remove(inZone("a1", "a"));
  tree.remove(inZone("a1", "a"));
  expect(tree.names()).toEqual(["a3", "b1", "a2"]);
  expect(tree.size).toBe(3);
});
