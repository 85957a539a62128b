import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { ValidatingAdmissionPolicy } from "../../api/admissionregistration/v1/validating-admission-policy.ts";
import type { ApiResource } from "../../client/discovery/server-apis.ts";
import { showKind, typesToCheck } from "./types-to-check.ts";

const resource = (group: string, version: string, kind: string): ApiResource => ({
  group,
  version,
  kind,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  scope: "Namespaced",
  verbs: [],
  shortNames: [],
  categories: [],
  subresources: [],
});
const letters = [..."abcdefghijkl"];
const served = [
  resource("", "v1", "Pod"),
  resource("", "v1", "Event"),
  resource("events.k8s.io", "v1", "Event"),
  resource("apps", "v1", "ReplicaSet"),
  resource("apps", "v1", "Deployment"),
  ...letters.map((letter) => resource("letters", "v1", letter.toUpperCase())),
];

type Rule = [group: string | readonly string[], version: string, ...resources: string[]];
each<[title: string, rules: readonly Rule[], kinds: readonly string[]]>([
  ["none without rules", [], []],
  ["those of a rule", [["apps", "v1", "deployments"]], ["apps/v1, Kind=Deployment"]],
  ["by the singular, too", [["apps", "v1", "deployment"]], ["apps/v1, Kind=Deployment"]],
  ["none of a rule with any group", [["*", "v1", "deployments"]], []],
  ["none of a rule with any version", [["apps", "*", "deployments"]], []],
  ["not a subresource", [["apps", "v1", "deployments/scale"]], []],
  [
    "what a rule names beside any resource",
    [["apps", "v1", "*", "replicasets"]],
    ["apps/v1, Kind=ReplicaSet"],
  ],
  ["not one that is not served", [["apps", "v2", "deployments"]], []],
  [
    "all of the rules, sorted, each once",
    [
      ["apps", "v1", "replicasets", "deployments"],
      [["apps", ""], "v1", "pods", "deployments"],
    ],
    ["/v1, Kind=Pod", "apps/v1, Kind=Deployment", "apps/v1, Kind=ReplicaSet"],
  ],
  [
    "without a group those of all groups",
    [["", "v1", "events"]],
    ["/v1, Kind=Event", "events.k8s.io/v1, Kind=Event"],
  ],
  [
    "ten of a rule, and then none of the rules that follow",
    [
      ["letters", "v1", ...letters.map((letter) => `${letter}s`)],
      ["apps", "v1", "deployments"],
    ],
    letters.slice(0, 10).map((letter) => `letters/v1, Kind=${letter.toUpperCase()}`),
  ],
])("typesToCheck: %s", (_title, rules, kinds) => {
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "p" },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: rules.map(([group, version, ...resources]) => ({
          apiGroups: typeof group === "string" ? [group] : group,
          apiVersions: [version],
          resources,
          operations: ["*"],
          scope: "*",
        })),
      },
    },
    status: {},
  };
  expect(typesToCheck(policy, served).map(showKind)).toEqual(kinds);
});
