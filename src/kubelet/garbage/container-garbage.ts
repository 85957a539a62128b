import type { ContainerStatus, PodSandboxStatus } from "../../cri/runtime-types.ts";

/** How many ended containers are kept. */
export interface ContainerPolicy {
  /** Younger containers are kept. */
  readonly minAgeMs: number;
  /** How many are kept of each container of a pod; negative for all. */
  readonly maxPerContainer: number;
  /** How many are kept in all; negative for all. */
  readonly maxContainers: number;
}

/** What is left of pods. */
export interface PodRemains {
  /** Whether all of a pod is to be removed: it was deleted, or only its status is needed. */
  readonly isRemovable: (podUid: string) => boolean;
  readonly now: number;
}

/** The ended containers to remove, the oldest first. */
export function containersToRemove(
  containers: readonly ContainerStatus[],
  policy: ContainerPolicy,
  { isRemovable, now }: PodRemains,
): readonly ContainerStatus[] {
  const ended = containers.filter(
    ({ state, createdAt }) => state !== "running" && now - createdAt >= policy.minAgeMs,
  );
  const ofRemoved = ended.filter(({ podUid }) => isRemovable(podUid));
  const groups = groupsOf(ended.filter(({ podUid }) => !isRemovable(podUid)));
  const { maxPerContainer, maxContainers } = policy;
  const kept = new Set(newestOf(groups, maxPerContainer));
  if (maxContainers >= 0 && kept.size > maxContainers) {
    const each = Math.max(1, Math.floor(maxContainers / groups.length));
    const fewer = [
      ...newestOf(groups, maxPerContainer < 0 ? each : Math.min(each, maxPerContainer)),
    ]
      .sort(newestFirst)
      .slice(0, maxContainers);
    kept.clear();
    for (const container of fewer) kept.add(container);
  }
  const surplus = groups.flat().filter((container) => !kept.has(container));
  return [...ofRemoved, ...surplus].sort((a, b) => newestFirst(b, a));
}

/** The containers of the same name in the same pod, the newest first. */
function groupsOf(containers: readonly ContainerStatus[]): readonly ContainerStatus[][] {
  const groups = new Map<string, ContainerStatus[]>();
  for (const container of [...containers].sort(newestFirst)) {
    const key = `${container.podUid}/${container.metadata.name}`;
    const group = groups.get(key);
    if (group) group.push(container);
    else groups.set(key, [container]);
  }
  return [...groups.values()];
}

const newestOf = (
  groups: readonly (readonly ContainerStatus[])[],
  count: number,
): readonly ContainerStatus[] =>
  groups.flatMap((group) => (count < 0 ? group : group.slice(0, count)));

/** The sandboxes to remove: those without containers that ended, except the newest of a pod that exists. */
export function sandboxesToRemove(
  sandboxes: readonly PodSandboxStatus[],
  containers: readonly ContainerStatus[],
  { isRemovable }: Pick<PodRemains, "isRemovable">,
): readonly PodSandboxStatus[] {
  const inUse = new Set(containers.map(({ sandboxId }) => sandboxId));
  const seen = new Set<string>();
  return [...sandboxes].sort(newestFirst).filter(({ id, state, metadata: { uid } }) => {
    const isNewest = !seen.has(uid);
    seen.add(uid);
    if (state === "ready" || inUse.has(id)) return false;
    return isRemovable(uid) || !isNewest;
  });
}

const newestFirst = (
  a: { readonly createdAt: number },
  b: { readonly createdAt: number },
): number => b.createdAt - a.createdAt;
