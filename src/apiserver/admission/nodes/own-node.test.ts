import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { TestAttributes } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const created = (more: object): TestAttributes => ({ kind: "Node", ...more });
const updated = (old: object, now: object, subresource = ""): TestAttributes => ({
  kind: "Node",
  operation: "UPDATE",
  subresource,
  old: { metadata: { name: "a" }, spec: {}, ...old },
  ...now,
});
const labels = (all: object) => ({ metadata: { labels: all } });
const rejected = (why: string) => `nodes "a" is forbidden: ${why}`;
const notAllowed = (what: string) => rejected(`node "a" is not allowed to ${what}`);

const allowed = {
  "example.com/zone": "1",
  plain: "1",
  "kubernetes.io/hostname": "a",
  "topology.kubernetes.io/zone": "z",
  "failure-domain.beta.kubernetes.io/region": "r",
  "beta.kubernetes.io/instance-type": "m",
  "kubernetes.io/os": "linux",
  "beta.kubernetes.io/arch": "amd64",
  "node.kubernetes.io/anything": "1",
  "more.node.kubernetes.io/anything": "1",
  "kubelet.kubernetes.io/anything": "1",
};
const restricted = {
  "other.kubernetes.io/foo": "1",
  "node-restriction.kubernetes.io/foo": "1",
  "foo.node-restriction.kubernetes.io/foo": "1",
  "other.k8s.io/foo": "1",
};
const restrictedNames =
  "foo.node-restriction.kubernetes.io/foo, node-restriction.kubernetes.io/foo, other.k8s.io/foo, other.kubernetes.io/foo";
const noLabels = rejected(`is not allowed to modify labels: ${restrictedNames}`);
const role = { "node-role.kubernetes.io/control-plane": "" };
const taint = { key: "k", effect: "NoSchedule" };
const taints = (...all: object[]) => ({ spec: { taints: all } });
const configMap = (name: string) => ({ spec: { configSource: { configMap: { name } } } });
const owned = (...ownerReferences: object[]) => ({ metadata: { ownerReferences } });

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["its creation", created({}), undefined],
  ["its creation with labels of its own", created(labels(allowed)), undefined],
  [
    "its creation with labels of others",
    created(labels({ ...allowed, ...restricted })),
    notAllowed(`set the following labels: ${restrictedNames}`),
  ],
  [
    "its creation with a role",
    created(labels(role)),
    notAllowed("set the following labels: node-role.kubernetes.io/control-plane"),
  ],
  ["its creation with taints", created(taints(taint)), undefined],
  [
    "its creation with a configuration",
    created(configMap("c")),
    notAllowed("create pods with a non-nil configSource"),
  ],
  [
    "the creation of another node",
    created({ address: { name: "b" } }),
    'nodes "b" is forbidden: node "a" is not allowed to modify node "b"',
  ],
  ["labels of its own", updated(labels({ plain: "0" }), labels(allowed)), undefined],
  ["labels of others that stay", updated(labels(restricted), labels(restricted)), undefined],
  ["labels of others", updated({}, labels(restricted)), noLabels],
  ["no labels of others any more", updated(labels(restricted), {}), noLabels],
  ["labels of others by its status", updated({}, labels(restricted), "status"), noLabels],
  ["the same taints", updated(taints(taint), taints({ ...taint })), undefined],
  ["no taint before and after", updated(taints(), {}), undefined],
  ["another taint", updated({}, taints(taint)), notAllowed("modify taints")],
  ["no taint any more", updated(taints(taint), {}, "status"), notAllowed("modify taints")],
  [
    "another owner",
    updated({}, owned({ name: "o", uid: "1" })),
    notAllowed("modify ownerReferences"),
  ],
  [
    "another configuration",
    updated(configMap("c"), configMap("d")),
    notAllowed("update configSource to a new non-nil configSource"),
  ],
  ["the same configuration", updated(configMap("c"), configMap("c")), undefined],
  ["no configuration any more", updated(configMap("c"), {}), undefined],
  ["its removal", { kind: "Node", operation: "DELETE" }, undefined],
])("ownNode: %s", async (_, given, wanted) => {
  expect(await rejectionOfNode(given)).toBe(wanted);
});
