import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** The name of the parent and the ordinal in the name of a pod, as in `web-0`; undefined if it has none. */
export function parentAndOrdinal({
  metadata,
}: Pick<Pod, "metadata">): { readonly parent: string; readonly ordinal: number } | undefined {
  const [, parent = "", digits = ""] = /^(.*)-([0-9]+)$/s.exec(metadata.name ?? "") ?? [];
  const ordinal = Number(digits);
  return digits === "" || ordinal > 2 ** 31 - 1 ? undefined : { parent, ordinal };
}

/** The ordinal of a pod; -1 if it has none. */
export const ordinalOf = (pod: Pick<Pod, "metadata">): number =>
  parentAndOrdinal(pod)?.ordinal ?? -1;

/** Whether a pod has the name of a replica of a stateful set. */
export const isMember = (pod: Pod, { metadata }: StatefulSet): boolean =>
  parentAndOrdinal(pod)?.parent === metadata.name;

export const podName = ({ metadata }: StatefulSet, ordinal: number): string =>
  `${metadata.name}-${ordinal}`;

export const startOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

/** Whether a stateful set wants a replica of this ordinal. */
export function isInRange(ordinal: number, set: StatefulSet): boolean {
  const start = startOrdinal(set);
  return ordinal >= start && ordinal < start + (set.spec.replicas ?? 1);
}
