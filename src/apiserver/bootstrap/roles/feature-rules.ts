import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import { allow, controllerRole, read, write } from "./notation.ts";
import { nodeFeatureRules } from "./optional-roles.ts";

const scheduling = { of: "scheduling.k8s.io" };
const devices = { of: "resource.k8s.io" };

/** What roles allow beside the defaults while features are on that are off by default: by role, by feature. */
const rules: Readonly<Record<string, Readonly<Record<string, readonly PolicyRule[]>>>> = {
  "system:aggregate-to-view": {
    GenericWorkload: [allow(read, "podgroups podgroups/status workloads", scheduling)],
  },
  "system:aggregate-to-edit": {
    GenericWorkload: [allow(write, "podgroups workloads", scheduling)],
  },
  "system:kube-scheduler": {
    DRADeviceTaintRules: [allow(read, "devicetaintrules", devices)],
    GenericWorkload: [
      allow(read, "podgroups", scheduling),
      allow("patch update", "podgroups/status", scheduling),
    ],
  },
  [controllerRole("device-taint-eviction-controller")]: {
    DRADeviceTaintRules: [
      allow("patch update", "devicetaintrules/status", devices),
      allow(read, "devicetaintrules", devices),
    ],
  },
  [controllerRole("job-controller")]: {
    WorkloadWithJob: [allow(`create ${read}`, "podgroups workloads", scheduling)],
  },
};

/** The rules that a role has because of features. */
export function featureRules(
  role: string,
  features: ReadonlySet<string> = new Set(),
): readonly PolicyRule[] {
  if (role === "system:node") return nodeFeatureRules(features);
  return Object.entries(rules[role] ?? {}).flatMap(([feature, added]) =>
    features.has(feature) ? added : [],
  );
}
