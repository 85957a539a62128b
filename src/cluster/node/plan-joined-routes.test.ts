import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import { planJoinedRoutes } from "./plan-joined-routes.ts";

const boxes = [
  { name: "node-1", address: "10.199.0.2" },
  { name: "node-2", address: "10.199.0.3", ipv6: { address: "fd00::3" } },
];

const node = (name: string, podCIDRs: readonly string[], ready = "True", annotations = {}) =>
  ({
    metadata: { name, annotations },
    spec: { podCIDRs },
    status: { conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;

const announced = { "flannel.alpha.coreos.com/backend-type": "vxlan" };
const joined = [
  node("node-2", ["10.200.1.0/24"], "True", announced),
  node("far", ["10.200.128.0/24", "fd00:1800::/64"], "False", announced),
  node("simulated", ["10.244.0.0/24"]),
];

const plan = (ofFirst: string) =>
  Object.fromEntries(
    planJoinedRoutes({ boxes, nodes: [...joined, node("node-1", ["10.200.0.0/24"], ofFirst)] }),
  );

test("planJoinedRoutes: to the pods of machines that announce a tunnel, through the first ready box", () => {
  expect(plan("True")).toEqual({ "10.200.128.0/24": "10.199.0.2" });
  expect(plan("Unknown")).toEqual({
    "10.200.128.0/24": "10.199.0.3",
    "fd00:1800::/64": "fd00::3",
  });
});
