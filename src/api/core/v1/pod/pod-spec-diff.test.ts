import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { podOf } from "./pod.test-support.ts";
import { podSpecDiff } from "./pod-spec-diff.ts";

const changed = (from: object, to: object) =>
  podSpecDiff(podOf({ spec: from }).spec, podOf({ spec: to }).spec)
    .split("\n")
    .filter((line) => /^[-+]/.test(line))
    .map((line) => line.replace(/\s+/g, " "));
const volume = (source: object) => ({ volumes: [{ name: "v", ...source }] });

each<[string, object, object, readonly string[]]>([
  [
    "Go's names are shown",
    { dnsPolicy: "Default" },
    {},
    ['- "DNSPolicy": "Default",', '+ "DNSPolicy": "ClusterFirst",'],
  ],
  [
    "namespaces stand in the security context",
    { hostPID: true },
    {},
    ['- "HostPID": true,', '+ "HostPID": false,'],
  ],
  [
    "what is absent is null or zero",
    { hostUsers: true, subdomain: "s" },
    {},
    ['- "HostUsers": true,', '+ "HostUsers": null,', '- "Subdomain": "s",', '+ "Subdomain": "",'],
  ],
  [
    "names of old volumes differ",
    volume({ rbd: { monitors: ["m"], image: "a" } }),
    volume({ rbd: { monitors: ["m"], image: "b" } }),
    ['- "RBDImage": "a",', '+ "RBDImage": "b",'],
  ],
  [
    "selectors are shown as they are written",
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "z",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { a: "b" } },
        },
      ],
    },
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} },
      ],
    },
    [
      '- "LabelSelector": {',
      '- "matchLabels": {',
      '- "a": "b"',
      "- }",
      "- },",
      '+ "LabelSelector": {},',
    ],
  ],
  [
    "marks of HTML are escaped",
    { subdomain: "<" },
    { subdomain: "&" },
    ['- "Subdomain": "\\u003c",', '+ "Subdomain": "\\u0026",'],
  ],
])("podSpecDiff: %s", (_, from, to, expected) => {
  expect(changed(from, to)).toEqual(expected);
});
