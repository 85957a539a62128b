import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Log } from "../../base/log.ts";
import { formatKeyOf } from "../../client/resource-kind.ts";
import type { Resource } from "../framework/resource.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { SchedulerCache } from "./scheduler-cache.ts";

/** Where what is kept differs from what there is. */
export interface Difference {
  readonly missed: readonly string[];
  readonly redundant: readonly string[];
}

/** Compares the names of what there is with those of what is kept, each in order. */
export function differenceOf(actual: readonly string[], cached: readonly string[]): Difference {
  const [there, kept] = [new Set(actual), new Set(cached)];
  return {
    missed: [...there].filter((name) => !kept.has(name)).sort(),
    redundant: [...kept].filter((name) => !there.has(name)).sort(),
  };
}

export interface CacheReportOptions {
  readonly log: Log;
  readonly cache: Pick<SchedulerCache, "dump">;
  readonly queue: Pick<SchedulingQueue, "pending" | "nominatedPods">;
  /** The nodes of the API, and the pods that are to be in the cache or in the queue. */
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
}

/** Logs how the scheduler's cache and queue differ from the API, and then all that is in them. */
export function reportCache({ log, cache, queue, nodes, pods }: CacheReportOptions): void {
  const cached = cache.dump();
  const pending = queue.pending();
  const ofNodes = differenceOf(
    nodes.map(({ metadata }) => metadata.name ?? ""),
    cached.map(({ name }) => name),
  );
  if (isAny(ofNodes))
    log.info("Cache mismatch", {
      missedNodes: ofNodes.missed,
      redundantNodes: ofNodes.redundant,
    });
  const ofPods = differenceOf(pods.map(formatKeyOf), [
    ...cached.flatMap((node) => node.pods),
    ...Object.values(pending).flat(),
  ]);
  if (isAny(ofPods))
    log.info("Cache mismatch", { missedPods: ofPods.missed, redundantPods: ofPods.redundant });
  log.info("Dump of cached NodeInfo", {
    nodes: cached.map(({ requested, allocatable, ...node }) => ({
      ...node,
      requested: amounts(requested),
      allocatable: amounts(allocatable),
      nominated: queue.nominatedPods(node.name).map(({ key }) => key),
    })),
  });
  log.info("Dump of scheduling queue", { ...pending });
}

const isAny = ({ missed, redundant }: Difference): boolean => missed.length + redundant.length > 0;

const amounts = ({ scalars, ...rest }: Resource): object => ({
  ...rest,
  ...Object.fromEntries(scalars ?? []),
});
