import { expect, test } from "vitest";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "./nodes.test-support.ts";

test("a node registers with its labels, its resources and its conditions", async () => {
  const cluster = await clusterWithNodes();
  const { metadata, spec, status } = await cluster.client.get(Node, { name: "node-1" });
  expect(metadata.labels).toEqual({
    "beta.kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": "node-1",
    "kubernetes.io/os": "linux",
  });
  expect(spec.podCIDRs).toEqual(["10.244.0.0/24"]);
  expect(status.allocatable).toMatchObject({ cpu: "4", memory: "16Gi", pods: "110" });
  expect(status.nodeInfo).toMatchObject({ kubeletVersion: "v1.36.0", operatingSystem: "linux" });
  expect(
    status.conditions?.map(({ type, status, reason, message }) => [type, status, reason, message]),
  ).toEqual([
    [
      "MemoryPressure",
      "False",
      "KubeletHasSufficientMemory",
      "kubelet has sufficient memory available",
    ],
    ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
    ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
    ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
  ]);
  expect(await cluster.eventsOf("node-1")).toEqual([
    "Starting: Starting kubelet.",
    "NodeHasSufficientMemory: Node node-1 status is now: NodeHasSufficientMemory",
    "NodeHasNoDiskPressure: Node node-1 status is now: NodeHasNoDiskPressure",
    "NodeHasSufficientPID: Node node-1 status is now: NodeHasSufficientPID",
    "NodeReady: Node node-1 status is now: NodeReady",
  ]);
  await cluster.end();
});

test("a node renews its lease every ten seconds, and writes nothing else while nothing happens", async () => {
  const cluster = await clusterWithNodes(3);
  await cluster.run({ name: "web" });
  await cluster.advance("30s");
  const written = async (): Promise<Record<string, string | undefined>> => {
    const { client } = cluster;
    const nodes = (await client.list(Node)).items;
    const pods = (await client.list(Pod)).items;
    return Object.fromEntries(
      [...nodes, ...pods].map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
  };
  const lease = () => cluster.client.get(Lease, { name: "node-2", namespace: "kube-node-lease" });
  const before = await written();
  const { spec, metadata } = await lease();
  expect(spec).toMatchObject({ holderIdentity: "node-2", leaseDurationSeconds: 40 });
  expect(metadata.ownerReferences).toMatchObject([{ kind: "Node", name: "node-2" }]);
  await cluster.advance("10s");
  const later = (await lease()).spec.renewTime ?? "";
  expect(Date.parse(later) - Date.parse(spec.renewTime ?? "")).toBe(10_000);
  await cluster.advance("3m");
  expect(await written()).toEqual(before);
  await cluster.advance("2m");
  expect((await cluster.client.get(Node, { name: "node-1" })).metadata.resourceVersion).not.toBe(
    before["node-1"],
  );
  await cluster.end();
});

test("pods can use resources that others add to a node's status, until they are removed", async () => {
  const cluster = await clusterWithNodes();
  const { client } = cluster;
  const name = "example.com/dongle";
  const key = { name: "node-1" };
  const amounts = async () => {
    const { capacity, allocatable } = (await client.get(Node, key)).status;
    return [capacity?.[name], allocatable?.[name], allocatable?.cpu];
  };
  const say = (amount: string | null) =>
    client.patch(
      Node,
      key,
      { merge: { status: { capacity: { [name]: amount } } } },
      { subresource: "status" },
    );
  await say("4");
  await cluster.advance("11s");
  expect(await amounts()).toEqual(["4", "4", "4"]);
  await say("2");
  await cluster.advance("11s");
  expect(await amounts()).toEqual(["2", "2", "4"]);
  await say(null);
  await cluster.advance("11s");
  expect(await amounts()).toEqual([undefined, undefined, "4"]);
  await cluster.end();
});

test("a pod runs, becomes ready, and its status and events are written", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web" });
  const pod = await cluster.pod("web");
  expect(pod.status).toMatchObject({
    phase: "Running",
    observedGeneration: 1,
    hostIP: "10.89.0.1",
    podIP: "10.244.0.2",
    podIPs: [{ ip: "10.244.0.2" }],
    startTime: "2026-01-01T00:00:00Z",
    qosClass: "BestEffort",
    containerStatuses: [
      {
        name: "web",
        state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
        lastState: {},
        ready: true,
        started: true,
        restartCount: 0,
        image: "docker.io/library/nginx:latest",
      },
    ],
  });
  expect(pod.status.conditions?.map(({ type, status }) => `${type} ${status}`)).toEqual([
    "PodReadyToStartContainers True",
    "Initialized True",
    "Ready True",
    "ContainersReady True",
    "PodScheduled True",
  ]);
  expect(await cluster.eventsOf("web")).toEqual([
    'Pulling: Pulling image "nginx"',
    expect.stringMatching(
      /^Pulled: Successfully pulled image "nginx" in 0s \(0s including waiting\)\. Image size: \d+ bytes\.$/,
    ),
    "Created: Container created",
    "Started: Container started",
  ]);
  await cluster.end();
});

test("a deleted pod ends within its grace period, and is then removed", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "slow", annotations: { "wherry.dev/stop-delay": "5s" } });
  await cluster.client.delete(Pod, { name: "slow" });
  await cluster.settled();
  expect(await cluster.pod("slow")).toMatchObject({
    metadata: { deletionGracePeriodSeconds: 30 },
    status: { phase: "Running", containerStatuses: [{ ready: true }] },
  });
  expect((await cluster.eventsOf("slow")).at(-1)).toBe("Killing: Stopping container web");
  await cluster.advance("4s");
  expect((await cluster.pod("slow")).status.phase).toBe("Running");
  await cluster.advance("1s");
  await expect(cluster.pod("slow")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});
