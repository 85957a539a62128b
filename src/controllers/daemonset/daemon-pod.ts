import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import { templateGenerationAnnotation } from "../../api/apps/v1/template-generation.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodSpec } from "../../api/core/v1/pod/pod-spec.ts";
import { timeOf } from "../../api/core/v1/pod/pod-state.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { podFromTemplate } from "../pod-from-template.ts";
import { revisionLabel } from "../revisions/controller-revisions.ts";

/** A pod of a daemon set for a node, which the scheduler binds because of its node affinity. */
export function daemonPod(
  daemonSet: DaemonSet,
  nodeName: string,
  hash: string,
): ReturnType<typeof podFromTemplate> {
  const { template } = daemonSet.spec;
  const { metadata, spec } = template;
  const generation = generationOf(daemonSet);
  const labels = {
    ...metadata.labels,
    ...(generation !== undefined && { [generationLabel]: generation }),
    [revisionLabel]: hash,
  };
  const { affinity } = spec;
  const required = {
    nodeSelectorTerms: [
      { matchFields: [{ key: "metadata.name", operator: "In", values: [nodeName] }] },
    ],
  } as const;
  const pod = {
    ...spec,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...affinity?.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: required,
      },
    },
    tolerations: daemonTolerations(spec),
  };
  return podFromTemplate({ metadata: { ...metadata, labels }, spec: pod }, daemonSet);
}

/** The tolerations of the pods of a daemon set: those of its template, and of all conditions of nodes. */
export function daemonTolerations({
  tolerations = [],
  hostNetwork = false,
}: PodSpec): readonly Toleration[] {
  const added = [
    tolerationOf("not-ready", "NoExecute"),
    tolerationOf("unreachable", "NoExecute"),
    tolerationOf("disk-pressure", "NoSchedule"),
    tolerationOf("memory-pressure", "NoSchedule"),
    tolerationOf("pid-pressure", "NoSchedule"),
    tolerationOf("unschedulable", "NoSchedule"),
    ...(hostNetwork ? [tolerationOf("network-unavailable", "NoSchedule")] : []),
  ];
  // One of the template that differs only in its seconds is replaced in its place.
  const kept = tolerations.map((one) => added.find((other) => isSame(one, other)) ?? one);
  const missing = added.filter((one) => !tolerations.some((other) => isSame(one, other)));
  return [...kept, ...missing];
}

const tolerationOf = (condition: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
  key: `node.kubernetes.io/${condition}`,
  operator: "Exists",
  effect,
});

const isSame = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key &&
  a.effect === b.effect &&
  a.operator === b.operator &&
  (a.value ?? "") === (b.value ?? "");

/** The node of a pod, or the one that its node affinity names; undefined if there is neither. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  for (const { matchFields = [] } of required?.nodeSelectorTerms ?? [])
    for (const { key, operator, values = [] } of matchFields)
      if (key === "metadata.name" && operator === "In")
        return values.length === 1 ? values[0] : undefined;
  return undefined;
}

/** Whether a pod is made from the current template: by its hash, or by the generation that came before hashes. */
export function isUpdated({ metadata }: Pod, daemonSet: DaemonSet, hash: string): boolean {
  const { labels = {} } = metadata;
  const generation = generationOf(daemonSet);
  return (
    (hash !== "" && labels[revisionLabel] === hash) ||
    (generation !== undefined && labels[generationLabel] === generation)
  );
}

/** Pods of a node, the one that counts first: those with a node, then the oldest. */
export const olderFirst = (a: Pod, b: Pod): number =>
  Number(!a.spec.nodeName) - Number(!b.spec.nodeName) ||
  (timeOf(a.metadata.creationTimestamp) ?? 0) - (timeOf(b.metadata.creationTimestamp) ?? 0) ||
  ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1);

const generationLabel = "pod-template-generation";

/** How often the template has changed; undefined if the annotation is missing or no number. */
function generationOf({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[templateGenerationAnnotation];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? `${BigInt(text)}` : undefined;
}
