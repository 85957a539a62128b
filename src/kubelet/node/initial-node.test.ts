import { expect, test } from "vitest";
import { initialNode } from "./initial-node.ts";
import type { NodeConfig } from "./node-config.ts";

const config = { name: "n", address: "192.0.2.1", port: 10250 } as NodeConfig;
const own = { key: "own", effect: "NoExecute" } as const;

test("initialNode: a node of a cloud provider has its taint, and tells which addresses it has", () => {
  const cloudProvider = { hasAddress: true, addresses: "192.0.2.1,2001:db8::1" };
  const { metadata, spec } = initialNode({ ...config, taints: [own], cloudProvider }, {} as never);
  expect(spec?.taints).toEqual([
    own,
    {
      key: "node.cloudprovider.kubernetes.io/uninitialized",
      value: "true",
      effect: "NoSchedule",
    },
  ]);
  expect(metadata?.annotations?.["alpha.kubernetes.io/provided-node-ip"]).toBe(
    "192.0.2.1,2001:db8::1",
  );
});

test("initialNode: other nodes have neither", () => {
  const { metadata, spec } = initialNode(config, {} as never);
  expect(spec?.taints).toBeUndefined();
  expect(Object.keys(metadata?.annotations ?? {})).toEqual([
    "volumes.kubernetes.io/controller-managed-attach-detach",
  ]);
});
