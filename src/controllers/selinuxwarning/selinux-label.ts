import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { allContainers } from "../../api/core/v1/pod/pod-containers.ts";

interface SELinuxOptions {
  readonly user?: string | undefined;
  readonly role?: string | undefined;
  readonly type?: string | undefined;
  readonly level?: string | undefined;
}

/** The label that options ask for, `USER:ROLE:TYPE:LEVEL`; what nodes would fill in stays empty. */
export function labelOf(options: SELinuxOptions | undefined): string {
  const { user = "", role = "", type = "", level = "" } = options ?? {};
  const label = [user, role, type, level].join(":");
  return label === ":::" ? "" : label;
}

/** Whether two labels differ whatever nodes fill in: they never fill in a level. */
export function labelsConflict(a: string, b: string): boolean {
  const [partsA, partsB] = [partsOf(a), partsOf(b)];
  return partsA.some((part, i) => {
    const other = partsB[i];
    if (part === other) return false;
    return i === 3 || (part !== "" && other !== "");
  });
}

/** A level may have colons itself. */
function partsOf(label: string): readonly string[] {
  const [user = "", role = "", type = "", ...level] = label.split(":");
  return [user, role, type, level.join(":")];
}

/** The labels by which the containers of a pod mount each of its volumes. */
export function mountLabels(pod: Pod): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = new Map<string, Set<string>>();
  for (const { securityContext, volumeMounts = [] } of allContainers(pod.spec)) {
    const options = securityContext?.seLinuxOptions ?? pod.spec.securityContext?.seLinuxOptions;
    for (const { name } of volumeMounts) {
      const known = labels.get(name) ?? new Set<string>();
      if (options) known.add(labelOf(options));
      labels.set(name, known);
    }
  }
  return labels;
}
