import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { containerOfLink, logLinkName } from "./log-link.ts";
import { planRotation, type RotationPlan, rotatedName } from "./rotated-files.ts";

each<[string, readonly string[], number, RotationPlan]>([
  ["the first rotation", [], 5, { remove: [], compress: [] }],
  ["the latest is compressed", ["l.2"], 5, { remove: [], compress: ["l.2"] }],
  ["compressed ones stay", ["l.1.gz", "l.2"], 5, { remove: [], compress: ["l.2"] }],
  [
    "the oldest are removed",
    ["l.4", "l.1.gz", "l.2.gz", "l.3.gz"],
    5,
    { remove: ["l.1.gz"], compress: ["l.4"] },
  ],
  ["two files: none is compressed", ["l.1"], 2, { remove: ["l.1"], compress: [] }],
  [
    "what failed rotations left is removed",
    ["l.1", "l.1.gz", "l.2.tmp", "l.2"],
    5,
    { remove: ["l.1", "l.2.tmp"], compress: ["l.2"] },
  ],
])("planRotation: %s", (_, rotated, maxFiles, plan) => {
  expect(planRotation(rotated, maxFiles)).toEqual(plan);
});

each<[string, string, string]>([
  [
    "rotatedName",
    rotatedName("0.log", new Date(2026, 0, 31, 7, 5, 9).getTime()),
    "0.log.20260131-070509",
  ],
  [
    "logLinkName",
    logLinkName({
      id: "0123abcd",
      labels: {
        "io.kubernetes.pod.name": "web-0",
        "io.kubernetes.pod.namespace": "default",
      },
      metadata: { name: "nginx", attempt: 0 },
    }),
    "web-0_default_nginx-0123abcd.log",
  ],
  ["containerOfLink", containerOfLink("web-0_default_nginx-0123abcd.log") ?? "", "0123abcd"],
  ["containerOfLink of another file", containerOfLink("some-x.log") ?? "none", "none"],
])("%s", (_, found, expected) => {
  expect(found).toBe(expected);
});
