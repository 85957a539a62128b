import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Informer } from "../../../client/informer/informer-options.ts";
import type { Handle } from "../../framework/handle.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import { patchPodStatus } from "../../pod-status-writer.ts";
import type { Candidate } from "./candidate.ts";

/** Has pods go, so that another finds room. It goes on beside the cycle. */
export class Preemption {
  readonly #handle: Handle;
  readonly #pods: Informer<Pod>;
  /** For whom room is being made, and the victim that is being asked last. */
  readonly #preempting = new Map<string, { last?: PodInfo | undefined }>();

  constructor(handle: Handle, pods: Informer<Pod>) {
    this.#handle = handle;
    this.#pods = pods;
  }

  /** Whether room is still being made for a pod: then it is not worth to try it. */
  isMakingRoomFor(uid: string): boolean {
    const making = this.#preempting.get(uid);
    if (!making) return false;
    if (!making.last) return true;
    const { name, namespace } = making.last;
    const victim = this.#pods.get({ name, namespace });
    return victim !== undefined && victim.metadata.deletionTimestamp === undefined;
  }

  /** Has the victims go. The last one goes last: when it is seen to, all others have been asked. */
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
        if (!signal.aborted) log.error("a pod could not be preempted", error, { node });
      }
      this.#preempting.delete(pod.uid);
      if (result === "error") this.#handle.activate([pod.pod]);
      metrics.preempted(result, (ticks() - since) / 1000);
    });
  }

  /** Less important pods that were to come to the node will not find room there any more. */
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
    if (this.#callBack(victim)) note += " (in kube-scheduler memory).";
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

  /** Whether a victim that is not bound yet could be kept from it. */
  #callBack({ uid }: PodInfo): boolean {
    const waiting = this.#handle.waitingPod(uid);
    if (waiting) return waiting.preempt("DefaultPreemption", "preempted");
    return this.#handle.podInPreBind(uid)?.cancel("preempted by DefaultPreemption") ?? false;
  }

  /** Says in a victim's status why it goes, and deletes it; false where it is gone already. */
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
