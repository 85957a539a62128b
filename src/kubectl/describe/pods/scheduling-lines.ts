import type { PodSpec } from "../../../api/core/v1/pod/pod-spec.ts";
import type { Toleration } from "../../../api/core/v1/scheduling/toleration.ts";
import type { TopologySpreadConstraint } from "../../../api/core/v1/scheduling/topology-spread.ts";
import { goSorted } from "../../../schema/values/go-sort.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { Description } from "../description.ts";
import { labelLines, listLines } from "../metadata-lines.ts";
import { selectorText } from "../selector-text.ts";

/** The labels of nodes that a pod needs, and the taints that it tolerates. */
export function nodeChoiceLines(
  d: Description,
  { nodeSelector, tolerations = [] }: Pick<PodSpec, "nodeSelector" | "tolerations">,
  indent = "",
): void {
  labelLines(d, `${indent}Node-Selectors`, nodeSelector);
  const sorted = goSorted(tolerations, (a, b) => compareUtf8(a.key ?? "", b.key ?? "") < 0);
  listLines(d, `${indent}Tolerations`, { lines: sorted.map(tolerationText) });
}

function tolerationText({ key, value, effect, operator, tolerationSeconds }: Toleration): string {
  let text = `${key ?? ""}${value ? `=${value}` : ""}${effect ? `:${effect}` : ""}`;
  if (operator === "Exists" && !value) text += key || effect ? " op=Exists" : "op=Exists";
  return tolerationSeconds === undefined ? text : `${text} for ${tolerationSeconds}s`;
}

/** How the pods of a workload spread over the cluster. */
export function spreadLines(
  d: Description,
  constraints: readonly TopologySpreadConstraint[] | undefined,
  indent = "",
): void {
  if (!constraints || constraints.length === 0) return;
  const sorted = constraints.toSorted((a, b) =>
    compareUtf8(a.topologyKey ?? "", b.topologyKey ?? ""),
  );
  listLines(d, "Topology Spread Constraints", { lines: sorted.map(spreadText), indent });
}

function spreadText(constraint: TopologySpreadConstraint): string {
  const { topologyKey, whenUnsatisfiable, maxSkew, labelSelector } = constraint;
  const text = `${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded`;
  return labelSelector ? `${text} for selector ${selectorText(labelSelector)}` : text;
}

/** The group of pods that are scheduled together. */
export function schedulingGroupLines(
  d: Description,
  group: PodSpec["schedulingGroup"],
  indent = "",
): void {
  if (!group) return;
  d.line(`${indent}SchedulingGroup:`);
  d.field("PodGroupName", group.podGroupName ?? "", 1);
}
