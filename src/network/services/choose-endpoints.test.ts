import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type ChosenEndpoints, chooseEndpoints } from "./choose-endpoints.ts";
import { frontends } from "./frontends.ts";
import type { ProxiedEndpoint } from "./proxied-endpoints.ts";
import type { ProxiedPort } from "./proxied-port.ts";

const endpoint = (address: string, more: Partial<ProxiedEndpoint> = {}): ProxiedEndpoint => ({
  ...{ address, port: 8080, isLocal: false, isReady: true, isServing: true, isTerminating: false },
  ...{ forZones: [], forNodes: [], ...more },
});
const port = (more: Partial<ProxiedPort> = {}): ProxiedPort => ({
  ...{ service: "default/web", name: "", family: "IPv4", protocol: "TCP", clusterIP: "10.0.0.1" },
  ...{ port: 80, nodePort: 0, externalIPs: [], loadBalancerIPs: [], sourceRanges: [] },
  ...{ affinitySeconds: 0, isExternalLocal: false, isInternalLocal: false, ...more },
});
const ending = { isReady: false, isTerminating: true };
const here = { isLocal: true };
const names = ({ cluster, local, areAnywhere }: ChosenEndpoints) => [
  cluster.map(({ address }) => address).join(),
  local.map(({ address }) => address).join(),
  areAnywhere,
];

each<
  [
    what: string,
    endpoints: readonly ProxiedEndpoint[],
    of: Partial<ProxiedPort>,
    chosen: readonly unknown[],
  ]
>([
  ["none", [], {}, ["", "", false]],
  ["ready ones", [endpoint("a"), endpoint("b", { isReady: false })], {}, ["a", "", true]],
  ["those that end, if no other is ready", [endpoint("a", ending)], {}, ["a", "", true]],
  [
    "none that end, if another is ready",
    [endpoint("a", ending), endpoint("b")],
    {},
    ["b", "", true],
  ],
  [
    "none that neither serve",
    [endpoint("a", { ...ending, isServing: false })],
    {},
    ["", "", false],
  ],
  [
    "those of this zone",
    [endpoint("a", { forZones: ["z"] }), endpoint("b", { forZones: ["y"] })],
    {},
    ["a", "", true],
  ],
  [
    "those of this node before those of its zone",
    [
      endpoint("a", { forZones: ["z"], forNodes: ["n"] }),
      endpoint("b", { forZones: ["z"], forNodes: ["m"] }),
    ],
    {},
    ["a", "", true],
  ],
  [
    "all, if one has no hint",
    [endpoint("a", { forZones: ["z"] }), endpoint("b")],
    {},
    ["a,b", "", true],
  ],
  [
    "all, if no hint is for this zone",
    [endpoint("a", { forZones: ["y"] }), endpoint("b", { forZones: ["y"] })],
    {},
    ["a,b", "", true],
  ],
  [
    "those of this node alone for internal policy Local",
    [endpoint("a"), endpoint("b", here)],
    { isInternalLocal: true },
    ["", "b", true],
  ],
  [
    "for internal policy Local, that others exist elsewhere",
    [endpoint("a")],
    { isInternalLocal: true },
    ["", "", true],
  ],
  [
    "both for external policy Local, where local ones may end",
    [endpoint("a"), endpoint("b", { ...here, ...ending })],
    { isExternalLocal: true, nodePort: 30000 },
    ["a", "b", true],
  ],
  [
    "without an external address no local ones",
    [endpoint("a", here)],
    { isExternalLocal: true },
    ["a", "", true],
  ],
])("chooseEndpoints: %s", (_, endpoints, of, chosen) => {
  expect(names(chooseEndpoints(endpoints, port(of), { name: "n", zone: "z" }))).toEqual(chosen);
});

const external = { externalIPs: ["1.1.1.1"], loadBalancerIPs: ["2.2.2.2"], nodePort: 30000 };

each<
  [
    what: string,
    endpoints: readonly ProxiedEndpoint[],
    of: Partial<ProxiedPort>,
    outcome: readonly (readonly unknown[])[],
  ]
>([
  [
    "a cluster IP keeps the source, all else is masqueraded",
    [endpoint("a")],
    external,
    [
      ["cluster-ip", "a", undefined, false, undefined],
      ["external-ip", "a", undefined, true, undefined],
      ["load-balancer-ip", "a", undefined, true, undefined],
      ["node-port", "a", undefined, true, undefined],
    ],
  ],
  [
    "without endpoints, all are refused",
    [],
    { nodePort: 30000 },
    [
      ["cluster-ip", "", undefined, false, "reject"],
      ["node-port", "", undefined, false, "reject"],
    ],
  ],
  [
    "with policy Local and endpoints elsewhere, traffic is dropped",
    [endpoint("a")],
    { nodePort: 30000, isExternalLocal: true, isInternalLocal: true },
    [
      ["cluster-ip", "", undefined, false, "drop"],
      ["node-port", "a", "", false, "drop"],
    ],
  ],
])("frontends: %s", (_, endpoints, of, outcome) => {
  const chosen = chooseEndpoints(endpoints, port(of), { name: "n", zone: "z" });
  const text = (list?: readonly ProxiedEndpoint[]) => list?.map(({ address }) => address).join();
  expect(
    frontends(port(of), chosen).map((one) => [
      ...[one.kind, text(one.endpoints), text(one.localEndpoints), one.isMasqueraded, one.refusal],
    ]),
  ).toEqual(outcome);
});
