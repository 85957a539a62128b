import { expect, test } from "vitest";
import { At } from "../../../../schema/language/report.ts";
import type { IpFamily } from "./service-cluster-ips.ts";
import { initIpFamilies } from "./service-ip-families.ts";
import type { ServiceDraft } from "./service-spec.ts";

type Spec = ServiceDraft["spec"];
const service = (spec: Spec): ServiceDraft => ({
  metadata: {},
  spec: { type: "ClusterIP", selector: { app: "a" }, ...structuredClone(spec) },
  status: { loadBalancer: {} },
});
const single: readonly IpFamily[] = ["IPv4"];
const dual: readonly IpFamily[] = ["IPv6", "IPv4"];

const decided: readonly [
  name: string,
  spec: Spec,
  families: readonly IpFamily[],
  outcome: unknown,
][] = [
  ["the default is one family, the cluster's first", {}, dual, [["IPv6"], "SingleStack"]],
  ["no families are none", { ipFamilies: [] }, dual, [["IPv6"], "SingleStack"]],
  [
    "the address says the family",
    { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1"] },
    dual,
    [["IPv4"], "SingleStack"],
  ],
  [
    "who prefers two gets what there is",
    { ipFamilyPolicy: "PreferDualStack" },
    single,
    [["IPv4"], "PreferDualStack"],
  ],
  [
    "who prefers two gets both",
    { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4"] },
    dual,
    [["IPv4", "IPv6"], "PreferDualStack"],
  ],
  [
    "a headless service without selector has both anywhere",
    { clusterIP: "None", clusterIPs: ["None"], selector: {} },
    single,
    [["IPv4", "IPv6"], "RequireDualStack"],
  ],
];

for (const [name, spec, families, outcome] of decided)
  test(`initIpFamilies: ${name}`, () => {
    const object = service(spec);
    const at = At.root();
    initIpFamilies(object, at, { old: undefined, families });
    expect([at.errors, object.spec.ipFamilies, object.spec.ipFamilyPolicy]).toEqual([
      [],
      ...(outcome as unknown[]),
    ]);
  });

const refused: readonly [
  name: string,
  spec: Spec,
  families: readonly IpFamily[],
  errors: readonly string[],
][] = [
  [
    "two families are more than one cluster has",
    { ipFamilyPolicy: "RequireDualStack" },
    single,
    [
      'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
    ],
  ],
  [
    "an address of another family",
    { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] },
    single,
    ['spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster'],
  ],
  [
    "one family, but two are named",
    { ipFamilyPolicy: "SingleStack", ipFamilies: ["IPv4", "IPv6"] },
    dual,
    [
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
    ],
  ],
];

for (const [name, spec, families, errors] of refused)
  test(`initIpFamilies: refused is ${name}`, () => {
    const at = At.root();
    initIpFamilies(service(spec), at, { old: undefined, families });
    expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
  });

test("initIpFamilies: the policy alone releases the second family in an update", () => {
  const both = {
    clusterIP: "10.0.0.1",
    clusterIPs: ["10.0.0.1", "fd00::1"],
    ipFamilies: ["IPv4", "IPv6"],
  };
  const object = service({ ...both, ipFamilyPolicy: "SingleStack" });
  const at = At.root();
  initIpFamilies(object, at, {
    old: service({ ...both, ipFamilyPolicy: "RequireDualStack" }),
    families: dual,
  });
  expect([at.errors, object.spec.clusterIPs, object.spec.ipFamilies]).toEqual([
    [],
    ["10.0.0.1"],
    ["IPv4"],
  ]);
});
