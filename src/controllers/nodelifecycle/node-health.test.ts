import { expect, test } from "vitest";
import type { Lease } from "../../api/coordination/v1/lease.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { NodeCondition } from "../../api/core/v1/node/node-status.ts";
import { settingValues } from "../controller-setting.ts";
import { isSilent, type NodeHealth, observeNode, silentConditions } from "./node-health.ts";
import { nodeLifecycleSettings } from "./node-lifecycle-settings.ts";

const defaults = settingValues(nodeLifecycleSettings);

const created = Date.UTC(2026, 0, 1);
const at = (seconds: number): string =>
  new Date(created + seconds * 1000).toISOString().replace(".000Z", "Z");
/** The controller's own clock began some other time. */
const now = (seconds: number) => ({ ticks: seconds * 1000, time: created + seconds * 1000 });

const condition = (
  type: string,
  status: NodeCondition["status"],
  heartbeat: number,
): NodeCondition => ({
  type,
  status,
  lastHeartbeatTime: at(heartbeat),
  lastTransitionTime: at(0),
  reason: "Kubelet",
  message: "says so",
});
const node = (...conditions: NodeCondition[]): Node =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", creationTimestamp: at(0) },
    spec: {},
    status: { conditions },
  }) as unknown as Node;
const lease = (renewed: number): Lease =>
  ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "n", namespace: "kube-node-lease" },
    spec: { renewTime: at(renewed).replace("Z", ".000000Z") },
  }) as Lease;

const ready = condition("Ready", "True", 5);
const known: NodeHealth = {
  heardAt: 10_000,
  ready,
  renewTime: lease(10).spec?.renewTime,
  hasLease: true,
};

interface Row {
  readonly name: string;
  readonly known?: NodeHealth;
  readonly node: Node;
  readonly lease?: Lease;
  /** In seconds; it is looked at after 100. */
  readonly heardAt: number;
}

test.each<Row>([
  {
    name: "the creation is the heartbeat of a node without status",
    node: node(),
    heardAt: 0,
  },
  {
    name: "the first observation of a node is a heartbeat",
    node: node(ready),
    heardAt: 100,
  },
  {
    name: "an unchanged node has no new heartbeat",
    known,
    node: node(ready),
    lease: lease(10),
    heardAt: 10,
  },
  {
    name: "the first status is a heartbeat",
    known: { ...known, ready: undefined },
    node: node(ready),
    lease: lease(10),
    heardAt: 100,
  },
  {
    name: "a removed status is no heartbeat",
    known,
    node: node(),
    lease: lease(10),
    heardAt: 10,
  },
  {
    name: "a status that is posted again is a heartbeat",
    known: { ...known, ready: undefined },
    node: node(ready),
    heardAt: 100,
  },
  {
    name: "an updated status is a heartbeat",
    known,
    node: node(condition("Ready", "True", 6)),
    lease: lease(10),
    heardAt: 100,
  },
  {
    name: "other changes of the status are no heartbeat",
    known,
    node: node(condition("Ready", "Unknown", 5)),
    lease: lease(10),
    heardAt: 10,
  },
  {
    name: "a renewed lease is a heartbeat",
    known,
    node: node(ready),
    lease: lease(11),
    heardAt: 100,
  },
  {
    name: "a lease with an earlier renew time is no heartbeat",
    known,
    node: node(ready),
    lease: lease(9),
    heardAt: 10,
  },
  {
    name: "a new lease is a heartbeat",
    known: { ...known, renewTime: undefined, hasLease: false },
    node: node(ready),
    lease: lease(1),
    heardAt: 100,
  },
  {
    name: "a lease alone is a heartbeat of a node without status",
    known: { heardAt: 0, ready: undefined, renewTime: lease(10).spec?.renewTime, hasLease: true },
    node: node(),
    lease: lease(90),
    heardAt: 100,
  },
  { name: "a lease that is gone changes nothing", known, node: node(ready), heardAt: 10 },
])("observeNode: $name", ({ known, node, lease, heardAt }) => {
  expect(observeNode(known, { node, lease }, now(100)).heardAt).toBe(heardAt * 1000);
});

test("observeNode: after a new status, a known lease counts once more", () => {
  const posted = node(condition("Ready", "True", 6));
  const first = observeNode(known, { node: posted, lease: lease(10) }, now(100));
  const second = observeNode(first, { node: posted, lease: lease(10) }, now(105));
  const third = observeNode(second, { node: posted, lease: lease(10) }, now(110));
  expect([first, second, third].map(({ heardAt }) => heardAt)).toEqual([100_000, 105_000, 105_000]);
});

test.each<[string, Node, number, boolean]>([
  ["a node with a status has the grace period", node(ready), 60, false],
  ["and not longer", node(ready), 60.001, true],
  ["a node without status has the startup grace period", node(), 70, false],
  ["and not longer", node(), 70.001, true],
])("isSilent: %s", (_, node, seconds, silent) => {
  const health = { ...known, heardAt: 10_000 };
  expect(isSilent(health, node, { now: now(seconds), settings: defaults })).toBe(silent);
});

const unknown = { status: "Unknown", lastTransitionTime: at(60) };
const never = {
  ...unknown,
  reason: "NodeStatusNeverUpdated",
  message: "Kubelet never posted node status.",
  lastHeartbeatTime: at(0),
};
const stopped = {
  ...unknown,
  reason: "NodeStatusUnknown",
  message: "Kubelet stopped posting node status.",
};

test("silentConditions: conditions that were never posted are unknown", () => {
  expect(silentConditions(node(), created + 60_000)).toEqual([
    { type: "Ready", ...never },
    { type: "MemoryPressure", ...never },
    { type: "DiskPressure", ...never },
    { type: "PIDPressure", ...never },
  ]);
});

test("silentConditions: posted conditions become unknown, except the network's", () => {
  const network = condition("NetworkUnavailable", "False", 5);
  const long = condition("PIDPressure", "Unknown", 5);
  const conditions = silentConditions(
    node(condition("MemoryPressure", "False", 5), ready, network, long),
    created + 60_000,
  );
  expect(conditions).toEqual([
    { type: "MemoryPressure", lastHeartbeatTime: at(5), ...stopped },
    { type: "Ready", lastHeartbeatTime: at(5), ...stopped },
    network,
    long,
    { type: "DiskPressure", ...never },
  ]);
});
