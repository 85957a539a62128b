import { expect, test } from "vitest";
import {
  dropTypeDependentFields,
  normaliseClusterIps,
  patchAllocatedValues,
} from "./service-allocation.ts";
import type { ServiceDraft } from "./service-spec.ts";

const service = (spec: ServiceDraft["spec"]): ServiceDraft => ({
  metadata: {},
  spec,
  status: { loadBalancer: {} },
});
const port = (number: number, nodePort?: number, name = `p${number}`) => ({
  name,
  port: number,
  protocol: "TCP",
  targetPort: number,
  ...(nodePort === undefined ? {} : { nodePort }),
});

type Spec = ServiceDraft["spec"];
const normalised: readonly [
  name: string,
  spec: Spec,
  old: Spec | undefined,
  clusterIPs: unknown,
][] = [
  ["the plural follows the singular at creation", { clusterIP: "None" }, undefined, ["None"]],
  [
    "a plural that was given stays",
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.2"] },
    undefined,
    ["10.0.0.2"],
  ],
  [
    "an update without the plural keeps it",
    { clusterIP: "10.0.0.1" },
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "fd00::1"] },
    ["10.0.0.1", "fd00::1"],
  ],
  [
    "clearing the singular clears both",
    { clusterIPs: ["10.0.0.1"] },
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] },
    undefined,
  ],
  [
    "changing the singular changes both",
    { clusterIP: "None", clusterIPs: ["10.0.0.1"] },
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] },
    ["None"],
  ],
  [
    "a plural that changed too is left to validation",
    { clusterIP: "None", clusterIPs: ["10.0.0.2"] },
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] },
    ["10.0.0.2"],
  ],
];

for (const [name, spec, old, clusterIPs] of normalised)
  test(`normaliseClusterIps: ${name}`, () => {
    const object = service(structuredClone(spec));
    normaliseClusterIps(object, old && service(old));
    expect(object.spec.clusterIPs).toEqual(clusterIPs);
  });

test("patchAllocatedValues: what was allocated is kept, by the names of the ports", () => {
  const old = service({
    type: "NodePort",
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ports: [port(80, 30080), port(81, 30081), port(82, 30082)],
  });
  const object = service({
    type: "NodePort",
    ports: [port(80), port(83, 30081), port(81), port(84)],
  });
  patchAllocatedValues(object, old);
  expect(object.spec).toEqual({
    type: "NodePort",
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ports: [port(80, 30080), port(83, 30081), port(81), port(84)],
  });
});

test("dropTypeDependentFields: a type without them loses what the client did not touch", () => {
  const balanced = {
    type: "LoadBalancer",
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    externalTrafficPolicy: "Local",
    healthCheckNodePort: 31000,
    allocateLoadBalancerNodePorts: true,
    loadBalancerClass: "a.b/c",
    ports: [port(80, 30080)],
  };
  const object = service({
    ...structuredClone(balanced),
    type: "ExternalName",
    externalName: "a.b",
  });
  object.status.loadBalancer = { ingress: [{ ip: "192.0.2.1" }] };
  dropTypeDependentFields(object, service(balanced));
  expect([object.spec, object.status]).toEqual([
    { type: "ExternalName", externalName: "a.b", ports: [port(80)] },
    { loadBalancer: {} },
  ]);
});

test("dropTypeDependentFields: a node port that is new stays, to be refused", () => {
  const object = service({ type: "ClusterIP", ports: [port(80, 30081)] });
  dropTypeDependentFields(object, service({ type: "NodePort", ports: [port(80, 30080)] }));
  expect(object.spec.ports).toEqual([port(80, 30081)]);
});
