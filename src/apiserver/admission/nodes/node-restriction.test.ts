import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { TestAttributes } from "../attributes.test-support.ts";
import { kindAt } from "../attributes.test-support.ts";
import { nodeUser, rejectionOfNode } from "./node-requests.test-support.ts";

const at = (group: string, plural: string, more: object = {}): TestAttributes => {
  const kind = kindAt(group, plural);
  const namespace = kind.scope === "Namespaced" ? "default" : "";
  return { address: { kind, namespace, ...more } };
};
const lease = (more: object) =>
  at("coordination.k8s.io", "leases", { namespace: "kube-node-lease", ...more });
const slice = (operation: "CREATE" | "UPDATE" | "DELETE", nodeName?: string): TestAttributes => ({
  ...at("resource.k8s.io", "resourceslices"),
  operation,
  ...(operation === "DELETE" ? { old: { spec: { nodeName } } } : { spec: { nodeName } }),
});
const notOurs = (plural: string, why: string) => `${plural} "a" is forbidden: ${why}`;
const otherLease = "can only access node lease with the same name as the requesting node";
const otherSlice = (verb: string) =>
  notOurs(
    "resourceslices.resource.k8s.io",
    `can only ${verb} ResourceSlice with the same NodeName as the requesting node`,
  );

each<[what: string, given: TestAttributes, wanted: string | undefined]>([
  ["its lease", lease({}), undefined],
  [
    "the lease of another node",
    lease({ name: "b" }),
    `leases.coordination.k8s.io "b" is forbidden: ${otherLease}`,
  ],
  [
    "a lease elsewhere",
    lease({ namespace: "default" }),
    notOurs(
      "leases.coordination.k8s.io",
      'can only access leases in the "kube-node-lease" system namespace',
    ),
  ],
  ["its CSINode", at("storage.k8s.io", "csinodes"), undefined],
  [
    "the CSINode of another node",
    { ...at("storage.k8s.io", "csinodes", { name: "b" }), operation: "UPDATE" },
    'csinodes.storage.k8s.io "b" is forbidden: can only access CSINode with the same name as the requesting node',
  ],
  ["a slice of its devices", slice("CREATE", "a"), undefined],
  ["a slice of no node", slice("CREATE"), otherSlice("create")],
  ["a slice of another node", slice("CREATE", "b"), otherSlice("create")],
  ["the removal of its slice", slice("DELETE", "a"), undefined],
  ["the removal of another slice", slice("DELETE", "b"), otherSlice("delete")],
  ["an update of another slice, which authorization rejects", slice("UPDATE", "b"), undefined],
  [
    "another subresource of a pod",
    { operation: "UPDATE", subresource: "resize" },
    notOurs(
      "pods",
      `unexpected pod subresource "resize", only 'status' and 'eviction' are allowed`,
    ),
  ],
  ["something that is not about nodes", { kind: "ConfigMap" }, undefined],
])("nodeRestriction: %s", async (_, given, wanted) => {
  expect(await rejectionOfNode(given)).toBe(wanted);
});

test("nodeRestriction: other users are not restricted, and a node without a name may write nothing", async () => {
  const given = { kind: "Node", metadata: { name: "b" }, address: { name: "b" } };
  const rejected = (user: object) => rejectionOfNode(given, { user });
  expect(await rejected({ name: "system:node:a", groups: [] })).toBeUndefined();
  expect(await rejected({ name: "a", groups: ["system:nodes"] })).toBeUndefined();
  expect(await rejected(nodeUser(""))).toBe(
    'nodes "b" is forbidden: could not determine node from user "system:node:"',
  );
});
