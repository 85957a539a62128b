import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type Key, keyOf } from "./known-objects.ts";
import { type PolicyPod, policyPod } from "./policy-pod.ts";

/** A pod as it is to be known. */
export interface SeenPod {
  readonly key: Key;
  readonly seen: PolicyPod | undefined;
}

/** The pods of this node that have addresses of which the API does not know yet. */
export class StartingPods {
  readonly #nodeName: string;
  readonly #starting = new Map<Key, Pod>();
  /** The pods for which policies hold, with their UIDs and addresses. */
  readonly #started = new Map<Key, string>();

  constructor(nodeName: string) {
    this.#nodeName = nodeName;
  }

  /**
   * Sees a pod of this node with its addresses, before each of its containers is created; undefined if policies are
   * not about it, or it has started already.
   */
  starts(pod: Pod): SeenPod | undefined {
    const key = podKey(pod);
    const seen = policyPod(pod, this.#nodeName);
    if (!seen || this.#started.get(key) === formOf(pod)) return undefined;
    this.#starting.set(key, pod);
    return { key, seen };
  }

  /** Sees that policies hold for a pod. */
  started(pod: Pod): void {
    this.#started.set(podKey(pod), formOf(pod));
  }

  /** Sees a pod as the API has it, and adds the addresses that it does not know yet. */
  seen(pod: Pod, isDeleted: boolean): SeenPod {
    const key = podKey(pod);
    if (isDeleted) this.#started.delete(key);
    const started = this.#starting.get(key);
    const seen = isDeleted ? undefined : policyPod(pod, this.#nodeName);
    if (!started) return { key, seen };
    const isSame = started.metadata.uid === pod.metadata.uid;
    // The end of an earlier pod of the name.
    if (!isSame && isDeleted) return { key, seen: policyPod(started, this.#nodeName) };
    if (!isSame || isDeleted || seen || hasEnded(pod)) {
      this.#starting.delete(key);
      return { key, seen };
    }
    const { podIP, podIPs } = started.status;
    const status = { ...pod.status, podIP, podIPs };
    return { key, seen: policyPod({ ...pod, status }, this.#nodeName) };
  }
}

const podKey = ({ metadata: { namespace = "", name = "" } }: Pod): Key =>
  keyOf({ namespace, name });

const hasEnded = ({ status: { phase } }: Pod): boolean =>
  phase === "Succeeded" || phase === "Failed";

/** Another pod of the name has another form, and so has a pod with a new sandbox. */
const formOf = ({ metadata, status }: Pod): string =>
  JSON.stringify([metadata.uid, status.podIP, status.podIPs]);
