import { expect, test } from "vitest";
import type { Node } from "./node.ts";
import { isNodeReady, zoneOf } from "./node-state.ts";

const node = (labels?: Record<string, string>, status?: Node["status"]): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", ...(labels && { labels }) },
  spec: {},
  status: status ?? ({} as Node["status"]),
});

test.each<[string, Record<string, string> | undefined, string]>([
  ["none without labels", undefined, ""],
  ["none without those labels", { a: "b" }, ""],
  [
    "region and zone",
    { "topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z" },
    "r:\0:z",
  ],
  ["a zone alone", { "topology.kubernetes.io/zone": "z" }, ":\0:z"],
  ["a region alone", { "topology.kubernetes.io/region": "r" }, "r:\0:"],
  [
    "the old labels come first",
    {
      "failure-domain.beta.kubernetes.io/region": "r1",
      "failure-domain.beta.kubernetes.io/zone": "z1",
      "topology.kubernetes.io/region": "r2",
      "topology.kubernetes.io/zone": "z2",
    },
    "r1:\0:z1",
  ],
])("zoneOf: %s", (_, labels, zone) => {
  expect(zoneOf(node(labels))).toBe(zone);
});

test.each([
  ["True", true],
  ["False", false],
  ["Unknown", false],
] as const)("isNodeReady: Ready is %s", (status, ready) => {
  const conditions = [{ type: "Ready", status, lastHeartbeatTime: null, lastTransitionTime: null }];
  expect(isNodeReady(node(undefined, { conditions } as unknown as Node["status"]))).toBe(ready);
});
