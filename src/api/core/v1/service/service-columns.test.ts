import { expect, test } from "vitest";
import { serviceColumns } from "./service-columns.ts";
import type { ServiceBody, ServiceSpec } from "./service-spec.ts";
import { serviceStatusWarnings, serviceWarnings } from "./service-warnings.ts";

const service = (spec: Partial<ServiceSpec>, ingress: object[] = []): ServiceBody => ({
  metadata: { name: "s" },
  spec: { sessionAffinity: "None", ...spec },
  status: { loadBalancer: { ingress } },
});
const ports = [
  { port: 80, targetPort: 80, protocol: "TCP", nodePort: 30080 },
  { port: 53, targetPort: 53, protocol: "UDP" },
];

const rows: readonly [service: ServiceBody, cells: readonly string[]][] = [
  [
    service({ type: "ClusterIP", clusterIPs: ["10.0.0.1"], ports, selector: { b: "2", a: "1" } }),
    ["s", "ClusterIP", "10.0.0.1", "<none>", "80:30080/TCP,53/UDP", "<unknown>", "a=1,b=2"],
  ],
  [
    service({ type: "NodePort", externalIPs: ["1.1.1.1", "2.2.2.2"] }),
    ["s", "NodePort", "<none>", "1.1.1.1,2.2.2.2", "<none>", "<unknown>", "<none>"],
  ],
  [
    service({ type: "LoadBalancer" }),
    ["s", "LoadBalancer", "<none>", "<pending>", "<none>", "<unknown>", "<none>"],
  ],
  [
    service({ type: "LoadBalancer", externalIPs: ["9.9.9.9"] }, [
      { hostname: "b" },
      { ip: "1.1.1.1" },
      { hostname: "b" },
    ]),
    ["s", "LoadBalancer", "<none>", "1.1.1.1,b,9.9.9.9", "<none>", "<unknown>", "<none>"],
  ],
  [
    service({ type: "ExternalName", externalName: "a.b" }),
    ["s", "ExternalName", "<none>", "a.b", "<none>", "<unknown>", "<none>"],
  ],
];

test("serviceColumns: a row tells where the service is reached", () => {
  expect(
    rows.map(([object]) => serviceColumns.map(({ cell }) => cell(object, { now: 0 }))),
  ).toEqual(rows.map(([, cells]) => cells));
});

const warned: readonly [service: ServiceBody, warnings: readonly string[]][] = [
  [service({ type: "ClusterIP", clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] }), []],
  [
    service({
      type: "ClusterIP",
      clusterIP: "None",
      loadBalancerIP: "1.1.1.1",
      externalIPs: ["1.1.1.1"],
      sessionAffinity: "ClientIP",
    }),
    [
      "spec.loadBalancerIP is ignored for headless services",
      "spec.externalIPs is ignored for headless services",
      "spec.SessionAffinity is ignored for headless services",
    ],
  ],
  [
    service({ type: "ClusterIP", externalIPs: ["1.1.1.1"], externalName: "a" }),
    [
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
      'spec.externalName is ignored when spec.type is not "ExternalName"',
    ],
  ],
  [
    service({ type: "ExternalName", externalIPs: ["1.1.1.1"], trafficDistribution: "PreferClose" }),
    [
      'spec.externalIPs is ignored when spec.type is "ExternalName"',
      'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"',
    ],
  ],
];

test("serviceWarnings: tells of what is ignored or deprecated", () => {
  expect(warned.map(([object]) => serviceWarnings(object))).toEqual(
    warned.map(([, warnings]) => warnings),
  );
});

test("serviceStatusWarnings: addresses should be in their usual form", () => {
  expect(serviceStatusWarnings(service({}, [{ ip: "fd00:0::1" }, { hostname: "a" }]))).toEqual([
    'status.loadBalancer.ingress[0]: IPv6 address "fd00:0::1" should be in RFC 5952 canonical format ("fd00::1")',
  ]);
});
