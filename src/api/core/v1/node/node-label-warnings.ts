import type { At } from "../../../../schema/language/report.ts";
import { isValidLabelValue } from "../../../../schema/values/names.ts";
import type { NodeSelectorTerm } from "../scheduling/node-selector.ts";

const deprecatedLabels: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  [
    "failure-domain.beta.kubernetes.io/region",
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  ],
  [
    "failure-domain.beta.kubernetes.io/zone",
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ],
  [
    "beta.kubernetes.io/instance-type",
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  ],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  [
    "scheduler.alpha.kubernetes.io/preferAvoidPods",
    "deprecated since v1.22; use Taints and Tolerations instead",
  ],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What to use instead of a label of nodes; nothing where the label is fine. */
export const deprecatedNodeLabel = (key: string): string | undefined => deprecatedLabels.get(key);

/** Warnings for a term's use of old labels and, if asked for, for values that no label can have. */
export function nodeSelectorTermWarnings(
  { matchExpressions = [] }: NodeSelectorTerm,
  at: At,
  { checkValues }: { readonly checkValues: boolean },
): readonly string[] {
  return matchExpressions.flatMap(({ key, values = [] }, i) => {
    const here = at.child("matchExpressions").index(i);
    const message = deprecatedNodeLabel(key);
    const warnings = message ? [`${here.child("key").path}: ${key} is ${message}`] : [];
    if (!checkValues) return warnings;
    const invalid = values.flatMap((value, j) =>
      isValidLabelValue(value).map(
        (fault) => `${here.child("values").index(j).path}: ${value} is invalid, ${fault}`,
      ),
    );
    return [...warnings, ...invalid];
  });
}
