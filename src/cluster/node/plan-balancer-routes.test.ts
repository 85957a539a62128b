import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { parseCidr } from "../../schema/values/ip.ts";
import { planBalancerRoutes } from "./plan-balancer-routes.ts";

const boxes = [
  { name: "node-1", address: "10.199.0.2", ipv6: { address: "fd00::2" } },
  { name: "node-2", address: "10.199.0.3", ipv6: { address: "fd00::3" } },
];

const node = (name: string, ready: string) =>
  ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;

const service = (name: string, ips: string, spec: object = {}) =>
  ({
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", ...spec },
    status: { loadBalancer: { ingress: ips.split(" ").map((ip) => ({ ip })) } },
  }) as unknown as Service;

const slice = (name: string, nodeName: string, ready: boolean, addressType = "IPv4") =>
  ({
    addressType,
    metadata: { namespace: "default", labels: { "kubernetes.io/service-name": name } },
    endpoints: [{ nodeName, conditions: { ready } }],
  }) as unknown as EndpointSlice;

const local = { externalTrafficPolicy: "Local" };

each<
  [
    name: string,
    ready: readonly [string, string],
    services: readonly Service[],
    slices: readonly EndpointSlice[],
    routes: readonly string[],
  ]
>([
  [
    "the first node",
    ["True", "True"],
    [service("a", "10.199.0.129")],
    [],
    ["10.199.0.129 10.199.0.2"],
  ],
  [
    "the first ready node",
    ["Unknown", "True"],
    [service("a", "10.199.0.129")],
    [],
    ["10.199.0.129 10.199.0.3"],
  ],
  ["no ready node", ["False", "Unknown"], [service("a", "10.199.0.129")], [], []],
  [
    "traffic that stays on its node, with endpoints there, not ready, and of another service",
    ["True", "True"],
    [
      service("a", "10.199.0.129", local),
      service("b", "10.199.0.130", local),
      service("c", "10.199.0.131", local),
    ],
    [slice("a", "node-2", true), slice("b", "node-1", false), slice("d", "node-1", true)],
    ["10.199.0.129 10.199.0.3"],
  ],
  [
    "an address of somebody else, and a service that is no load balancer any more",
    ["True", "True"],
    [service("a", "192.0.2.1"), service("b", "10.199.0.129", { type: "ClusterIP" })],
    [],
    [],
  ],
  [
    "both families, of which traffic stays on the nodes with its endpoints",
    ["True", "True"],
    [
      service("a", "10.199.0.129 fd00:0:0:0:8000::1"),
      service("b", "10.199.0.130 fd00:0:0:0:8000::2", local),
    ],
    [slice("b", "node-1", true), slice("b", "node-2", true, "IPv6")],
    [
      ...["10.199.0.129 10.199.0.2", "fd00::8000:0:0:1 fd00::2"],
      ...["10.199.0.130 10.199.0.2", "fd00::8000:0:0:2 fd00::3"],
    ],
  ],
])("planBalancerRoutes: %s", (_, ready, services, slices, routes) => {
  const nodes = boxes.map(({ name }, i) => node(name, ready[i] ?? ""));
  const ranges = ["10.199.0.128/25", "fd00:0:0:0:8000::/112"].flatMap(
    (one) => parseCidr(one) ?? [],
  );
  const plan = planBalancerRoutes({ services, slices, nodes, boxes, ranges });
  expect([...plan].map((one) => one.join(" "))).toEqual(routes);
});
