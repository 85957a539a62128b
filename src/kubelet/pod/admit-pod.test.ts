import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";
import { admitPod } from "./admit-pod.ts";
import { NodeUse } from "./node-use.ts";

const node = (change: object = {}): Node =>
  ({
    metadata: { name: "n", labels: { zone: "a" } },
    spec: {},
    status: {
      allocatable: { cpu: "2", memory: "1Gi", pods: "3", "example.com/gpu": "1" },
      nodeInfo: { operatingSystem: "linux" },
    },
    ...change,
  }) as unknown as Node;

const pod = (spec: object = {}, requests: object = {}, metadata: object = {}): Pod =>
  ({
    metadata: { name: "p", ...metadata },
    spec: { nodeName: "n", containers: [{ name: "c", resources: { requests } }], ...spec },
    status: {},
  }) as unknown as Pod;

function useOfAll(pods: readonly Pod[]): NodeUse {
  const used = new NodeUse();
  for (const [index, { spec }] of pods.entries()) used.take(String(index), spec);
  return used;
}

const cpu = (amount: string): Pod => pod({}, { cpu: amount });
const port = (hostPort: number, protocol = "TCP"): Pod =>
  pod({ containers: [{ name: "c", ports: [{ containerPort: 1, hostPort, protocol }] }] });
const tainted = node({ spec: { taints: [{ key: "k", effect: "NoExecute" }] } });

const cases: readonly [string, Pod, Node, readonly Pod[], string | undefined, string?][] = [
  ["takes what fits", cpu("500m"), node(), [cpu("1500m")], undefined],
  [
    "has too little cpu",
    cpu("600m"),
    node(),
    [cpu("1"), cpu("500m")],
    "OutOfcpu",
    "Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
  ],
  [
    "has too little memory",
    pod({}, { memory: "2Gi" }),
    node(),
    [],
    "OutOfmemory",
    "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
  ],
  [
    "has room for so many pods only",
    pod(),
    node(),
    [pod(), pod(), pod()],
    "OutOfpods",
    "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
  ],
  [
    "has none of a resource left",
    pod({}, { "example.com/gpu": "1" }),
    node(),
    [pod({}, { "example.com/gpu": "1" })],
    "OutOfexample.com/gpu",
  ],
  ["knows nothing of a resource", pod({}, { "example.com/tpu": "1" }), node(), [], undefined],
  [
    "does not match a selector",
    pod({ nodeSelector: { zone: "b" } }),
    node(),
    [],
    "NodeAffinity",
    "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  ],
  [
    "has a port that is taken",
    port(80),
    node(),
    [port(80)],
    "NodePorts",
    "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
  ],
  ["has a port free for another protocol", port(80, "UDP"), node(), [port(80)], undefined],
  [
    "has a taint that is not tolerated",
    pod(),
    tainted,
    [],
    "TaintToleration",
    "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
  ],
  ["has a taint that is", pod({ tolerations: [{ operator: "Exists" }] }), tainted, [], undefined],
  ["has another system", pod({ os: { name: "windows" } }), node(), [], "PodOSNotSupported"],
  [
    "has another label for its system",
    pod({}, {}, { labels: { "kubernetes.io/os": "windows" } }),
    node(),
    [],
    "PodOSSelectorNodeLabelDoesNotMatch",
  ],
];

for (const [what, asked, on, others, reason, message] of cases)
  test(`admitPod: a node that ${what}`, () => {
    const rejection = admitPod(asked, on, useOfAll(others));
    expect(rejection?.reason).toBe(reason);
    if (message !== undefined) expect(rejection?.message).toBe(message);
  });

test("a pod that the node rejects fails with the reason", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "big", container: { resources: { requests: { cpu: "5" } } } });
  const { status } = await cluster.pod("big");
  expect(status).toEqual({
    observedGeneration: 1,
    phase: "Failed",
    reason: "OutOfcpu",
    message:
      "Pod was rejected: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
    startTime: "2026-01-01T00:00:00Z",
    qosClass: "Burstable",
  });
  expect(await cluster.eventsOf("big")).toEqual([
    "OutOfcpu: Node didn't have enough resource: cpu, requested: 5000, used: 0, capacity: 4000",
  ]);
  await cluster.client.delete(Pod, { name: "big" });
  await cluster.settled();
  await expect(cluster.pod("big")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});

test("resources of a pod are free after it ended, or was force deleted", async () => {
  const cluster = await clusterWithNodes();
  const container = { resources: { requests: { cpu: "3" } } };
  await cluster.run({ name: "first", container, spec: { activeDeadlineSeconds: 30 } });
  await cluster.run({ name: "early", container });
  await cluster.advance("30s");
  await cluster.run({ name: "second", container });
  await cluster.client.delete(Pod, { name: "second" }, { gracePeriodSeconds: 0 });
  await cluster.run({ name: "third", container });
  const phases = await Promise.all(
    ["first", "early", "third"].map(async (name) => (await cluster.pod(name)).status.phase),
  );
  expect(phases).toEqual(["Failed", "Failed", "Running"]);
  expect((await cluster.pod("early")).status.reason).toBe("OutOfcpu");
  await cluster.end();
});
