import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Informer } from "../../../client/informer/informer-options.ts";
import type { Handle } from "../../framework/handle.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { patchPodStatus } from "../../pod-status-writer.ts";
import type { Candidate } from "./candidate.ts";

/** Evicts the victims of a preemption, in the background. */
export class Preemption {
  readonly #handle: Handle;
  readonly #pods: Informer<Pod>;
  /** The preempting pods by uid, with the last victim. */
  readonly #preempting = new Map<string, { last?: PodInfo | undefined }>();

  constructor(handle: Handle, pods: Informer<Pod>) {
    this.#handle = handle;
    this.#pods = pods;
  }

  /** Whether the preemption for a pod is still running: an attempt would be premature. */
  isRunningFor(uid: string): boolean {
    const making = this.#preempting.get(uid);
    if (!making) return false;
    if (!making.last) return true;
    const { name, namespace } = making.last;
    const victim = this.#pods.get({ name, namespace });
    return victim !== undefined && victim.metadata.deletionTimestamp === undefined;
  }

  /**
   * Evicts the victims. The last victim is deleted last: once that is seen, all others are deleted, too.
   */
  begin(pod: PodInfo, { node, victims }: Candidate): void {
    const { metrics, ticks, log } = this.#handle;
    const left = victims.filter(({ pod: { metadata } }) => !metadata.deletionTimestamp);
    const last = left.at(-1);
    if (!last) return;
    metrics.preemptionVictims(victims.length);
    const making: { last?: PodInfo } = {};
    this.#preempting.set(pod.uid, making);
    const since = ticks();
    this.#handle.background(async (signal) => {
      let result: "success" | "error" = "success";
      try {
        await this.#clearNominations(pod, node, signal);
        const others = left.slice(0, -1);
        await Promise.all(others.map((victim) => this.#preempt(victim, { pod, node, signal })));
        making.last = last;
        await this.#preempt(last, { pod, node, signal });
      } catch (error) {
        result = "error";
        if (!signal.aborted) log.error("preempting a pod failed", error, { node });
      }
      this.#preempting.delete(pod.uid);
      if (result === "error") this.#handle.activate([pod.pod]);
      metrics.preempted(result, (ticks() - since) / 1000);
    });
  }

  /** Clears the nominations of pods with a lower priority: they no longer fit on the node. */
  async #clearNominations(pod: PodInfo, node: string, signal: AbortSignal): Promise<void> {
    const { client, clock, random, nominatedPods } = this.#handle;
    const lesser = nominatedPods(node).filter(({ priority }) => priority < pod.priority);
    const change = { nominatedNode: "" };
    for (const one of lesser)
      await patchPodStatus(one.pod, change, { client, clock, random, signal });
  }

  async #preempt(
    victim: PodInfo,
    { pod, node, signal }: { pod: PodInfo; node: string; signal: AbortSignal },
  ): Promise<void> {
    const { events, profileName } = this.#handle;
    let note = `Preempted by pod ${pod.uid} on node ${node}`;
    if (this.#cancelBinding(victim)) note += " (in kube-scheduler memory).";
    else if (!(await this.#delete(victim, pod.pod.spec.schedulerName ?? profileName, signal)))
      return;
    events.record(victim.pod, {
      type: "Normal",
      reason: "Preempted",
      action: "Preempting",
      note,
      related: pod.pod,
    });
  }

  /** Cancels the binding of a victim that is not bound yet; returns whether that succeeded. */
  #cancelBinding({ uid }: PodInfo): boolean {
    const waiting = this.#handle.waitingPod(uid);
    if (waiting) return waiting.preempt("DefaultPreemption", "preempted");
    return this.#handle.podInPreBind(uid)?.cancel("preempted by DefaultPreemption") ?? false;
  }

  /**
   * Adds the condition DisruptionTarget to a victim and deletes it; returns false if it is already
   * deleted.
   */
  async #delete(victim: PodInfo, by: string, signal: AbortSignal): Promise<boolean> {
    const { client, clock, random } = this.#handle;
    const { name, namespace, uid } = victim;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${by}: preempting to accommodate a higher priority pod`,
    };
    try {
      await patchPodStatus(victim.pod, { condition }, { client, clock, random, signal });
      await client.delete(Pod, { name, namespace }, { preconditions: { uid }, signal });
      return true;
    } catch (error) {
      // Another pod may have its name by now.
      if (StatusError.is(error, "NotFound") || StatusError.is(error, "Conflict")) return false;
      throw error;
    }
  }
}
