import { expect, test } from "vitest";
import { At } from "../../../../schema/language/report.ts";
import type { ServiceBody, ServicePort, ServiceSpec } from "./service-spec.ts";
import { validateServiceUpdate } from "./service-update.ts";
import { validateEndpointIp, validateService } from "./service-validation.ts";

const port = (number: number, more: Partial<ServicePort> = {}): ServicePort => ({
  port: number,
  protocol: "TCP",
  targetPort: number,
  ...more,
});
const service = (spec: Partial<ServiceSpec>, annotations = {}): ServiceBody => ({
  metadata: { name: "s", annotations },
  spec: {
    type: "ClusterIP",
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1"],
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ports: [port(80)],
    ...spec,
  },
  status: { loadBalancer: {} },
});
const balanced = {
  type: "LoadBalancer",
  externalTrafficPolicy: "Cluster",
  allocateLoadBalancerNodePorts: true,
};
const report = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

const created: readonly [name: string, service: ServiceBody, errors: readonly string[]][] = [
  ["a plain service is valid", service({}), []],
  [
    "only one of several ports may lack a name",
    service({ ports: [port(80), port(81, { name: "b" })] }),
    ["spec.ports[0].name: Required value"],
  ],
  [
    "ports are unique by number and protocol, and shown as Go would",
    service({ ports: [port(80, { name: "a" }), port(80, { name: "b" })] }),
    [
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  ],
  [
    "the same number may serve two protocols",
    service({ ports: [port(53, { name: "a" }), port(53, { name: "b", protocol: "UDP" })] }),
    [],
  ],
  [
    "a node port needs a type that has them",
    service({ ports: [port(80, { nodePort: 30001 })] }),
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    "the target port may be a name",
    service({ ports: [port(80, { targetPort: "no_name" })] }),
    [
      'spec.ports[0].targetPort: Invalid value: "no_name": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
  ],
  [
    "affinity asks for a timeout within bounds",
    service({
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
    }),
    [
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400",
    ],
  ],
  [
    "source ranges may be padded with blanks",
    service({ ...balanced, loadBalancerSourceRanges: [" 10.0.0.0/8 "] }),
    [],
  ],
  [
    "source ranges may stand in an annotation",
    service(balanced, {
      "service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8, x",
    }),
    [
      'metadata.annotations[service.beta.kubernetes.io/load-balancer-source-ranges]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ],
  ],
  [
    "a local policy of a load balancer asks for a health check port",
    service({ ...balanced, externalTrafficPolicy: "Local" }),
    ["spec.healthCheckNodePort: Required value"],
  ],
  [
    "two addresses are of two families",
    service({ clusterIPs: ["10.0.0.1", "10.0.0.2"] }),
    [
      'spec.clusterIPs: Invalid value: ["10.0.0.1","10.0.0.2"]: may specify no more than one IP for each IP family',
    ],
  ],
  [
    "addresses are of the families named",
    service({ ipFamilies: ["IPv6"] }),
    [
      'spec.clusterIPs[0]: Invalid value: "10.0.0.1": expected an IPv6 value as indicated by `ipFamilies[0]`',
    ],
  ],
  [
    "two annotations on topology agree",
    service(
      {},
      {
        "service.kubernetes.io/topology-aware-hints": "a",
        "service.kubernetes.io/topology-mode": "b",
      },
    ),
    [
      'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "b": must match annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    ],
  ],
];

for (const [name, given, errors] of created)
  test(`validateService: ${name}`, () => {
    expect(report((at) => validateService(given, undefined, at))).toEqual(errors);
  });

const updated: readonly [
  name: string,
  service: ServiceBody,
  old: ServiceBody,
  errors: readonly string[],
][] = [
  ["nothing need change", service({}), service({}), []],
  [
    "an address stays",
    service({ clusterIP: "10.0.0.2", clusterIPs: ["10.0.0.2"] }),
    service({}),
    ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
  ],
  [
    "the second address is released by the policy",
    service({ ipFamilyPolicy: "PreferDualStack" }),
    service({
      clusterIPs: ["10.0.0.1", "fd00::1"],
      ipFamilies: ["IPv4", "IPv6"],
      ipFamilyPolicy: "PreferDualStack",
    }),
    [
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary clusterIP",
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be set to 'SingleStack' when releasing the secondary ipFamily",
    ],
  ],
  [
    "the class of a load balancer stays",
    service({ ...balanced, loadBalancerClass: "a.b/c" }),
    service({ ...balanced, loadBalancerClass: "a.b/d" }),
    ['spec.loadBalancerClass: Invalid value: "a.b/c": may not change once set'],
  ],
  [
    "an old external address stays valid, though it is not in today's form",
    service({ externalIPs: ["010.1.1.1"], externalTrafficPolicy: "Cluster" }),
    service({ externalIPs: ["010.1.1.1"], externalTrafficPolicy: "Cluster" }),
    [],
  ],
];

for (const [name, given, old, errors] of updated)
  test(`validateServiceUpdate: ${name}`, () => {
    expect(report((at) => validateServiceUpdate(given, old, at))).toEqual(errors);
  });

const addresses: readonly [ip: string, errors: readonly string[]][] = [
  ["192.0.2.1", []],
  ["0.0.0.0", ["may not be unspecified (0.0.0.0)"]],
  ["127.1.2.3", ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]],
  ["::1", ["may not be in the loopback range (127.0.0.0/8, ::1/128)"]],
  ["169.254.0.1", ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"]],
  ["febf::1", ["may not be in the link-local range (169.254.0.0/16, fe80::/10)"]],
  ["224.0.0.9", ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]],
  ["ff12::1", ["may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"]],
  ["ff05::1", []],
];

test("validateEndpointIp: addresses with a special meaning are refused", () => {
  const found = addresses.map(([ip]) => [ip, report((at) => validateEndpointIp(ip, at))]);
  const expected = addresses.map(([ip, errors]) => [
    ip,
    errors.map((error) => `: Invalid value: "${ip}": ${error}`),
  ]);
  expect(found).toEqual(expected);
});
