import { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { CacheReader, Indexers } from "../../client/informer/informer-options.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { atATime } from "../at-a-time.ts";
import type { DisruptionReason } from "../disruption-target.ts";
import { byNode } from "../pods-by-node.ts";
import { collectPod } from "./collect-pod.ts";
import {
  excessPods,
  isHeldByOthers,
  isNodeOutOfService,
  isOutOfService,
  isTerminated,
  isUnscheduledTerminating,
} from "./collectable.ts";
import { type CollectReason, podGcMetrics } from "./pod-gc-metrics.ts";
import { Quarantine } from "./quarantine.ts";

export interface PodCollectorOptions
  extends Pick<RunnableContext, "client" | "clock" | "ticks" | "log" | "metrics"> {
  readonly nodes: CacheReader<Node>;
  /** With the indexes `podsByNode` and `endingPods`. */
  readonly pods: CacheReader<Pod>;
  readonly terminatedPodThreshold: number;
  readonly signal: AbortSignal;
}

/** An index of pods that have terminated, and of pods that are being deleted. */
export const endingPods: Indexers<Pod> = {
  "pod-gc": (pod) => [
    ...(isTerminated(pod) ? ["terminated"] : []),
    ...(pod.metadata.deletionTimestamp !== undefined ? ["terminating"] : []),
  ],
};

/** Deletes pods that nobody else will delete. */
export class PodCollector {
  readonly #options: PodCollectorOptions;
  readonly #metrics;
  readonly #quarantine = new Quarantine(quarantineMs);

  constructor(options: PodCollectorOptions) {
    this.#options = options;
    this.#metrics = podGcMetrics(options.metrics);
  }

  /** Notes a change of a pod; returns whether it may have become collectable. */
  noticePod(pod: Pod): boolean {
    if (isHeldByOthers(pod)) return false;
    const { nodes, terminatedPodThreshold } = this.#options;
    const { nodeName: name } = pod.spec;
    const node = name ? nodes.get({ name }) : undefined;
    if (name && !node) {
      this.#quarantine.add(name);
      return true;
    }
    if (isTerminated(pod) && terminatedPodThreshold > 0) return true;
    return isUnscheduledTerminating(pod) || isOutOfService(pod, node);
  }

  /** Notes a change of a node; returns whether its pods may have become collectable. */
  noticeNode({ metadata: { name = "" } }: Node): boolean {
    const { nodes, pods } = this.#options;
    const node = nodes.get({ name });
    if (node && !isNodeOutOfService(node)) return false;
    return pods.byIndex(byNode, name).some((pod) => this.noticePod(pod));
  }

  /** Deletes all collectable pods; resolves with whether another pass is needed although nothing changes. */
  async pass(): Promise<boolean> {
    const found = new Map<Pod, Finding>();
    for (const pod of this.#excess()) found.set(pod, { reason: "terminated" });
    for (const pod of this.#options.pods.byIndex("pod-gc", "terminating"))
      if (isOutOfService(pod, this.#options.nodes.get({ name: pod.spec.nodeName ?? "" })))
        found.set(pod, { reason: "out-of-service" });
    for (const pod of await this.#orphans())
      if (!found.has(pod)) found.set(pod, { reason: "orphaned", why: orphaned });
    for (const pod of this.#options.pods.byIndex("pod-gc", "terminating"))
      if (isUnscheduledTerminating(pod)) found.set(pod, { reason: "unscheduled" });
    const due = [...found].filter(([pod]) => !isHeldByOthers(pod));
    let areAllDone = true;
    await atATime(parallel, due, async ([pod, finding]) => {
      if (!(await this.#collect(pod, finding))) areAllDone = false;
    });
    return !areAllDone || this.#quarantine.size > 0;
  }

  #excess(): readonly Pod[] {
    const { pods, terminatedPodThreshold } = this.#options;
    return excessPods(pods.byIndex("pod-gc", "terminated"), terminatedPodThreshold);
  }

  /** The pods of nodes that do not exist, verified with the server. */
  async #orphans(): Promise<readonly Pod[]> {
    const { client, nodes, pods, ticks, log, signal } = this.#options;
    const found: Pod[] = [];
    const isMissed = (name: string): boolean =>
      !nodes.get({ name }) && pods.byIndex(byNode, name).some((pod) => !isHeldByOthers(pod));
    for (const name of this.#quarantine.look(ticks(), isMissed)) {
      try {
        await client.get(Node, { name }, { signal });
      } catch (error) {
        if (StatusError.is(error, "NotFound")) found.push(...pods.byIndex(byNode, name));
        else if (!signal.aborted)
          log.error("reading a node that may be gone failed", error, { name });
      }
    }
    return found;
  }

  async #collect(pod: Pod, { reason, why }: Finding): Promise<boolean> {
    const { log, signal } = this.#options;
    const { namespace = "", name } = pod.metadata;
    this.#metrics.collected(namespace, reason);
    try {
      await collectPod(this.#options, pod, why);
      log.info("collected a pod", { namespace, name, reason });
      return true;
    } catch (error) {
      this.#metrics.failed(namespace, reason);
      if (!signal.aborted) log.error("collecting a pod failed", error, { namespace, name });
      return false;
    }
  }
}

interface Finding {
  readonly reason: CollectReason;
  readonly why?: DisruptionReason;
}

const orphaned: DisruptionReason = {
  reason: "DeletionByPodGC",
  message: "PodGC: node no longer exists",
};
const quarantineMs = 40_000;
const parallel = 20;
