import type { Pod } from "../api/core/v1/pod/pod.ts";
import { errorMessage } from "../base/error-message.ts";
import type { KubernetesObject } from "../client/resource-kind.ts";
import type { RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import { FitError } from "./framework/diagnosis.ts";
import type { Framework } from "./framework/framework.ts";
import { podInfo } from "./framework/pod-info.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import { isRejected, type Status, statusMessage } from "./framework/status.ts";
import { PodGroupUnschedulableError } from "./pod-groups/group-outcome.ts";
import { type PodStatusChange, patchPodStatus } from "./pod-status-writer.ts";
import { clearRejectors, type SchedulingQueue } from "./queue/scheduling-queue.ts";
import { NoNodesError } from "./schedule-pod.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

/** A failed scheduling attempt. */
export interface Failure {
  readonly framework: Framework;
  readonly queued: QueuedPod;
  readonly status: Status;
  /** The node to nominate; `""` clears the nomination. */
  readonly nominatedNode?: string | undefined;
  /** When the attempt began, in ticks. */
  readonly since: number;
}

export interface FailedAttemptsOptions {
  readonly ctx: Pick<RunnableContext, "client" | "clock" | "random" | "log" | "ticks">;
  readonly metrics: SchedulerMetrics;
  readonly queue: SchedulingQueue;
  /** Returns the pod as the informer has it. */
  readonly current: (key: string) => Pod | undefined;
  readonly background: (task: (signal: AbortSignal) => Promise<void>) => void;
}

/** Handles pods that could not be scheduled. */
export class FailedAttempts {
  readonly #options: FailedAttemptsOptions;
  /** The pending status update of each pod: updates of one pod are sent in order. */
  readonly #words = new Map<string, Promise<void>>();

  constructor(options: FailedAttemptsOptions) {
    this.#options = options;
  }

  /** Requeues a pod, and records an event and the condition PodScheduled. */
  fail({ framework, queued, status, nominatedNode, since }: Failure): void {
    const { ctx, metrics, queue, background } = this.#options;
    const isUnschedulable = isRejected(status);
    const result = isUnschedulable ? "unschedulable" : "error";
    countAttempt(metrics, result, { profile: framework.name, ms: ctx.ticks() - since });
    this.#blame(queued, status);
    if (!this.#requeue(queued)) return;
    queue.nominator.add(queued.info, nominatedNode);
    const message = messageOf(status);
    const { pod } = queued.info;
    this.recordEvent(framework, pod, message);
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: isUnschedulable ? "Unschedulable" : "SchedulerError",
      message,
    };
    background((signal) => this.patch(pod, { condition, nominatedNode }, signal));
  }

  recordEvent(framework: Framework, pod: KubernetesObject, message: string): void {
    framework.handle.events.record(pod, {
      type: "Warning",
      reason: "FailedScheduling",
      action: "Scheduling",
      note: cut(message),
    });
  }

  /** Patches the status of a pod, after earlier patches of it. */
  patch(pod: Pod, change: PodStatusChange, signal: AbortSignal): Promise<void> {
    const { client, clock, random, log } = this.#options.ctx;
    const { uid = "", name, namespace } = pod.metadata;
    const word = (this.#words.get(uid) ?? Promise.resolve())
      .then(() => patchPodStatus(pod, change, { client, clock, random, signal }))
      .catch((error: unknown) => {
        if (!signal.aborted)
          log.warn("writing pod status failed", {
            pod: `${namespace}/${name}`,
            error: errorMessage(error),
          });
      })
      .finally(() => {
        if (this.#words.get(uid) === word) this.#words.delete(uid);
      });
    this.#words.set(uid, word);
    return word;
  }

  /** Records the plugins that rejected a pod: their events requeue it. */
  #blame(queued: QueuedPod, { error }: Status): void {
    clearRejectors(queued);
    if (error instanceof FitError) {
      queued.unschedulablePlugins = error.diagnosis.unschedulablePlugins;
      queued.pendingPlugins = error.diagnosis.pendingPlugins;
    } else if (!(error instanceof NoNodesError || error instanceof PodGroupUnschedulableError)) {
      this.#options.ctx.log.error("scheduling a pod failed", error, {
        pod: queued.info.key,
      });
    }
  }

  /**
   * Requeues a pod if it still exists without a node; returns false if its name belongs to another pod.
   */
  #requeue(queued: QueuedPod): boolean {
    const { queue, current: currentOf } = this.#options;
    const { key, uid } = queued.info;
    const current = currentOf(key);
    if (!current || current.spec.nodeName) {
      queue.done(uid);
      return true;
    }
    if (current.metadata.uid !== uid) {
      queue.done(uid);
      return false;
    }
    queued.info = podInfo(current);
    queue.addUnschedulable(queued);
    return true;
  }
}

/** A group of pods says more in the reasons than in its error. */
const messageOf = (status: Status): string =>
  status.error instanceof Error && !(status.error instanceof PodGroupUnschedulableError)
    ? status.error.message
    : statusMessage(status);

/** Counts an attempt and records its duration. */
export function countAttempt(
  { attempts, attemptSeconds }: SchedulerMetrics,
  result: "scheduled" | "unschedulable" | "error",
  { profile, ms }: { readonly profile: string; readonly ms: number },
): void {
  attempts.of(result, profile).add(1);
  attemptSeconds.of(result, profile).observe(ms / 1000);
}

const longestNote = 1024;
const andMore = " ...";

/** Truncates a message to the maximum length of an event's note. */
function cut(message: string): string {
  if (message.length <= longestNote && new TextEncoder().encode(message).length <= longestNote)
    return message;
  const bytes = new TextEncoder().encode(message).subarray(0, longestNote - andMore.length);
  return new TextDecoder().decode(bytes).replace(/\uFFFD$/, "") + andMore;
}
