import type { Pod } from "../api/core/v1/pod/pod.ts";
import { errorMessage } from "../base/error-message.ts";
import type { KubernetesObject } from "../client/resource-kind.ts";
import type { RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import { FitError } from "./framework/diagnosis.ts";
import type { Framework } from "./framework/framework.ts";
import { podInfo } from "./framework/pod-info.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import { isRejected, type Status, statusMessage } from "./framework/status.ts";
import { type PodStatusChange, patchPodStatus } from "./pod-status-writer.ts";
import { clearRejectors, type SchedulingQueue } from "./queue/scheduling-queue.ts";
import { NoNodesError } from "./schedule-pod.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

/** What went wrong with a pod. */
export interface Failure {
  readonly framework: Framework;
  readonly queued: QueuedPod;
  readonly status: Status;
  /** Where it will probably go; `""` takes back what was said before. */
  readonly nominatedNode?: string | undefined;
  /** When the attempt began, in ticks. */
  readonly since: number;
}

export interface FailedAttemptsOptions {
  readonly ctx: Pick<RunnableContext, "client" | "clock" | "random" | "log" | "ticks">;
  readonly metrics: SchedulerMetrics;
  readonly queue: SchedulingQueue;
  /** The pod as the API server has it. */
  readonly current: (key: string) => Pod | undefined;
  readonly background: (task: (signal: AbortSignal) => Promise<void>) => void;
}

/** What is done with pods that could not be scheduled. */
export class FailedAttempts {
  readonly #options: FailedAttemptsOptions;
  /** The last word that is being said in a pod's status: the next one follows it. */
  readonly #words = new Map<string, Promise<void>>();

  constructor(options: FailedAttemptsOptions) {
    this.#options = options;
  }

  /** A pod goes back into the queue, and people are told why. */
  fail({ framework, queued, status, nominatedNode, since }: Failure): void {
    const { ctx, metrics, queue, background } = this.#options;
    const isUnschedulable = isRejected(status);
    const result = isUnschedulable ? "unschedulable" : "error";
    countAttempt(metrics, result, { profile: framework.name, ms: ctx.ticks() - since });
    this.#blame(queued, status);
    if (!this.#requeue(queued)) return;
    queue.nominator.add(queued.info, nominatedNode);
    const message = status.error instanceof Error ? status.error.message : statusMessage(status);
    const { pod } = queued.info;
    this.tell(framework, pod, message);
    const condition = {
      type: "PodScheduled",
      status: "False",
      reason: isUnschedulable ? "Unschedulable" : "SchedulerError",
      message,
    };
    background((signal) => this.patch(pod, { condition, nominatedNode }, signal));
  }

  tell(framework: Framework, pod: KubernetesObject, message: string): void {
    framework.handle.events.record(pod, {
      type: "Warning",
      reason: "FailedScheduling",
      action: "Scheduling",
      note: cut(message),
    });
  }

  /** Says something in a pod's status, after what is being said there. */
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

  /** Remembers who turned a pod away: what they wait for is a reason to try it again. */
  #blame(queued: QueuedPod, { error }: Status): void {
    clearRejectors(queued);
    if (error instanceof FitError) {
      queued.unschedulablePlugins = error.diagnosis.unschedulablePlugins;
      queued.pendingPlugins = error.diagnosis.pendingPlugins;
    } else if (!(error instanceof NoNodesError)) {
      this.#options.ctx.log.error("a pod could not be scheduled", error, {
        pod: queued.info.key,
      });
    }
  }

  /** Puts a pod back, if it is still there and has no node; false where another has its name. */
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

/** Counts an attempt, and how long it took. */
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

/** A message as long as an event may have it. */
function cut(message: string): string {
  if (message.length <= longestNote && new TextEncoder().encode(message).length <= longestNote)
    return message;
  const bytes = new TextEncoder().encode(message).subarray(0, longestNote - andMore.length);
  return new TextDecoder().decode(bytes).replace(/\uFFFD$/, "") + andMore;
}
