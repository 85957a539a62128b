import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { planBalancerRoutes } from "./plan-balancer-routes.ts";

const boxes = [
  { name: "node-1", address: "10.199.0.2" },
  { name: "node-2", address: "10.199.0.3" },
];

const node = (name: string, ready: string) =>
  ({
    metadata: { name },
    status: { conditions: [{ type: "Ready", status: ready }] },
  }) as unknown as Node;

const service = (name: string, ip: string, spec: object = {}) =>
  ({
    metadata: { name, namespace: "default" },
    spec: { type: "LoadBalancer", ...spec },
    status: { loadBalancer: { ingress: [{ ip }] } },
  }) as unknown as Service;

const slice = (name: string, nodeName: string, ready: boolean) =>
  ({
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
])("planBalancerRoutes: %s", (_, ready, services, slices, routes) => {
  const nodes = boxes.map(({ name }, i) => node(name, ready[i] ?? ""));
  const range = { base: 0x0ac70080, prefixLength: 25 };
  const plan = planBalancerRoutes({ services, slices, nodes, boxes, range });
  expect([...plan].map((one) => one.join(" "))).toEqual(routes);
});
