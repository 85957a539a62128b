import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podRequests } from "../../api/core/v1/pod/pod-requests.ts";
import { parseQuantity, quantityValue } from "../../schema/values/quantity.ts";
import { diskPartsOf, type FilesystemLayout } from "./filesystem-layout.ts";
import { type PodUsage, podDiskUsage } from "./pod-usage.ts";
import { resourceOf, type Signal } from "./signal.ts";

/** The usage of pods by UID; a pod of which nothing runs has none. */
export type PodUsages = ReadonlyMap<string, PodUsage>;

export interface RankInput {
  readonly signal: Signal;
  readonly layout: FilesystemLayout;
  readonly usages: PodUsages;
}

/**
 * Sorts pods in the order in which they are evicted. Pods without usage go first, then those that use more than
 * they request, then by ascending priority, then by how much more they use.
 */
export function rankPods(pods: readonly Pod[], input: RankInput): readonly Pod[] {
  const ranked = pods.map((pod) => ({ pod, ...rankOf(pod, input) }));
  const isOfProcesses = resourceOf(input.signal) === "pids";
  return ranked
    .sort((a, b) => {
      const byPriority = a.priority - b.priority;
      const byKnown = Number(a.isKnown) - Number(b.isKnown);
      if (isOfProcesses) return byPriority || byKnown || b.excess - a.excess;
      const byExcess = Number(b.exceeds) - Number(a.exceeds);
      return byKnown || byExcess || byPriority || b.excess - a.excess;
    })
    .map(({ pod }) => pod);
}

interface Rank {
  readonly isKnown: boolean;
  readonly exceeds: boolean;
  readonly priority: number;
  readonly excess: number;
}

function rankOf(pod: Pod, { signal, layout, usages }: RankInput): Rank {
  const { priority = 0 } = pod.spec;
  const usage = usages.get(pod.metadata.uid ?? "");
  if (!usage) return { isKnown: false, exceeds: false, priority, excess: 0 };
  const known = { isKnown: true, priority };
  const resource = resourceOf(signal);
  switch (resource) {
    case "pids":
      return { ...known, exceeds: false, excess: usage.processes };
    case "memory": {
      const excess = usage.memoryBytes - requestOf(pod, "memory");
      return { ...known, exceeds: excess > 0, excess };
    }
    default: {
      const { bytes, inodes } = podDiskUsage(pod, usage, diskPartsOf(signal, layout));
      const used = resource === "inodes" ? inodes : bytes;
      // Inodes cannot be requested; upstream still compares them with the requested bytes in the end.
      const requested = requestOf(pod, "ephemeral-storage");
      const exceeds = used > (resource === "inodes" ? 0 : requested);
      return { ...known, exceeds, excess: used - requested };
    }
  }
}

const requestOf = ({ spec }: Pod, name: string): number =>
  quantityValue(parseQuantity(podRequests(spec)[name] ?? "0"));
