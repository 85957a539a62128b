import { expect, test } from "vitest";
import { At } from "../../../../schema/language/report.ts";
import { type LoadBalancerStatus, validateLoadBalancerStatus } from "./load-balancer-status.ts";

const cases: readonly [type: string, status: LoadBalancerStatus, errors: readonly string[]][] = [
  ["LoadBalancer", { ingress: [{ ip: "192.0.2.1", ipMode: "VIP" }, { hostname: "a.b" }] }, []],
  [
    "ClusterIP",
    { ingress: [{ ip: "x" }] },
    ["ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'"],
  ],
  [
    "LoadBalancer",
    { ingress: [{ ip: "192.0.2.1" }, { ipMode: "VIP" }, { ip: "192.0.2.2", ipMode: "X" }] },
    [
      "ingress[0].ipMode: Required value: must be specified when `ip` is set",
      "ingress[1].ipMode: Forbidden: may not be specified when `ip` is not set",
      'ingress[2].ipMode: Unsupported value: "X": supported values: "Proxy", "VIP"',
    ],
  ],
  [
    "LoadBalancer",
    { ingress: [{ hostname: "192.0.2.1" }] },
    ['ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address'],
  ],
  ["LoadBalancer", { ingress: [{ ip: "010.0.0.1", ipMode: "VIP" }] }, []],
];

test("validateLoadBalancerStatus: an entry is an address or a name; old addresses stay", () => {
  const found = cases.map(([serviceType, status]) => {
    const at = At.root();
    const old = { ingress: [{ ip: "010.0.0.1" }] };
    validateLoadBalancerStatus(status, at, { serviceType, old });
    return at.errors.map(({ field, message }) => `${field}: ${message}`);
  });
  expect(found).toEqual(cases.map(([, , errors]) => errors));
});
