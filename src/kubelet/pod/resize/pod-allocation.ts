import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { KubeletEvent } from "../../kubelet-events.ts";
import type { NodeUse } from "../node-use.ts";
import type { Finding } from "../status/pod-conditions.ts";
import type { PodResources } from "./allocation-store.ts";
import {
  allocatedPod,
  hasSameResources,
  knownAllocation,
  type ResizeRefusal,
  refuseResize,
  resizeText,
} from "./resize.ts";

/** What decides on a resize beside the node. */
export interface ResizeReview {
  /** What the other pods of the node use. */
  readonly others: () => NodeUse;
  /** Why resources that are allocated cannot be resized; undefined if they can. */
  readonly refuse?: ((pod: Pod, allocated: Pod["spec"]) => string | undefined) | undefined;
}

/** The resources that a node has allocated to a pod, and the state of a resize. */
export class PodAllocation {
  /** The spec whose resources are allocated: the pod's own, unless a resize is pending. */
  #spec: Pod["spec"];
  #state: "" | InProgress | ResizeRefusal = "";
  /** The last requested resize, and its outcome. */
  #known: { readonly pod: Pod; readonly allocated: Pod } | undefined;

  /** Starts with what was allocated before, if the kubelet was restarted. */
  constructor(pod: Pod, stored: PodResources | undefined) {
    this.#spec = knownAllocation(pod, stored);
    this.#state = knownState(pod);
  }

  /** The spec whose resources are allocated. */
  get spec(): Pod["spec"] {
    return this.#spec;
  }

  /** A pod with its allocated resources. */
  of(pod: Pod): Pod {
    if (this.#known?.pod !== pod) this.#known = { pod, allocated: allocatedPod(pod, this.#spec) };
    return this.#known.allocated;
  }

  /** Whether a resize waits for free resources. */
  get isDeferred(): boolean {
    return isRefusal(this.#state) && this.#state.reason === "Deferred";
  }

  get isInProgress(): boolean {
    return this.#state !== "" && !isRefusal(this.#state);
  }

  /** Allocates the requested resources if they fit; returns the event to record. */
  review(pod: Pod, node: Node | undefined, around: ResizeReview): KubeletEvent | undefined {
    if (this.#spec !== pod.spec && hasSameResources(this.#spec, pod.spec)) {
      this.#set(pod.spec);
      if (isRefusal(this.#state)) this.#state = "";
    }
    if (this.#spec === pod.spec || !node) return undefined;
    const infeasible = around.refuse?.(pod, this.#spec);
    const refusal: ResizeRefusal | undefined =
      infeasible === undefined
        ? refuseResize(pod, node, around.others())
        : { reason: "Infeasible", message: infeasible };
    const before = this.#state;
    if (!refusal) {
      this.#set(pod.spec);
      this.#state = { error: "" };
      return { type: "Normal", reason: "ResizeStarted", message: resizeText(pod, "started") };
    }
    this.#state = refusal;
    const { reason, message } = refusal;
    if (isRefusal(before) && before.reason === reason) return undefined;
    const text = resizeText(pod, reason, message);
    return { type: "Warning", reason: `Resize${reason}`, message: text };
  }

  #set(spec: Pod["spec"]): void {
    this.#spec = spec;
    this.#known = undefined;
  }

  /** Marks a resize as failed for now; returns the event to record, if it is news. */
  fail(pod: Pod, error: string): KubeletEvent | undefined {
    if (this.#state === "" || isRefusal(this.#state) || this.#state.error === error)
      return undefined;
    this.#state = { error };
    return { type: "Warning", reason: "ResizeError", message: resizeText(pod, "error", error) };
  }

  /** Marks a resize as complete; returns the event to record. */
  complete(pod: Pod): KubeletEvent {
    this.#state = "";
    const message = resizeText(pod, "completed");
    return { type: "Normal", reason: "ResizeCompleted", message };
  }

  findings({ metadata }: Pod): readonly Finding[] {
    const observedGeneration = metadata.generation ?? 0;
    if (this.#state === "") return [];
    const common = { status: "True", observedGeneration } as const;
    if (isRefusal(this.#state)) return [{ type: "PodResizePending", ...common, ...this.#state }];
    const { error } = this.#state;
    const failure = error !== "" && { reason: "Error", message: error };
    return [{ type: "PodResizeInProgress", ...common, ...failure }];
  }
}

/** A resize that was allocated, and why it could not be set so far; empty if nothing is wrong. */
interface InProgress {
  readonly error: string;
}

const isRefusal = (state: "" | InProgress | ResizeRefusal): state is ResizeRefusal =>
  state !== "" && "reason" in state;

/** What the status says of a resize, so that a kubelet that was restarted completes it. */
function knownState({ status }: Pod): "" | InProgress {
  const found = status.conditions?.find(({ type }) => type === "PodResizeInProgress");
  return found ? { error: found.message ?? "" } : "";
}
