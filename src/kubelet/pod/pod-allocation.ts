import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { KubeletEvent } from "../kubelet-events.ts";
import type { NodeUse } from "./node-use.ts";
import {
  allocatedPod,
  hasSameResources,
  knownAllocation,
  type ResizeRefusal,
  refuseResize,
  resizeText,
} from "./resize.ts";
import type { Finding } from "./status/pod-conditions.ts";

/** The resources that a node has allocated to a pod, and the state of a resize. */
export class PodAllocation {
  /** The spec whose resources are allocated: the pod's own, unless a resize is pending. */
  #spec: Pod["spec"];
  #state: "" | "InProgress" | ResizeRefusal = "";
  /** The last requested resize, and its outcome. */
  #known: { readonly pod: Pod; readonly allocated: Pod } | undefined;

  constructor(pod: Pod) {
    this.#spec = knownAllocation(pod);
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
    return typeof this.#state === "object" && this.#state.reason === "Deferred";
  }

  get isInProgress(): boolean {
    return this.#state === "InProgress";
  }

  /** Allocates the requested resources if they fit; returns the event to record. */
  review(pod: Pod, node: Node | undefined, others: () => NodeUse): KubeletEvent | undefined {
    if (this.#spec !== pod.spec && hasSameResources(this.#spec, pod.spec)) {
      this.#set(pod.spec);
      if (typeof this.#state === "object") this.#state = "";
    }
    if (this.#spec === pod.spec || !node) return undefined;
    const refusal = refuseResize(pod, node, others());
    const before = this.#state;
    if (!refusal) {
      this.#set(pod.spec);
      this.#state = "InProgress";
      return { type: "Normal", reason: "ResizeStarted", message: resizeText(pod, "started") };
    }
    this.#state = refusal;
    const { reason, message } = refusal;
    if (typeof before === "object" && before.reason === reason) return undefined;
    const text = resizeText(pod, reason, message);
    return { type: "Warning", reason: `Resize${reason}`, message: text };
  }

  #set(spec: Pod["spec"]): void {
    this.#spec = spec;
    this.#known = undefined;
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
    if (this.#state === "InProgress")
      return [{ type: "PodResizeInProgress", status: "True", observedGeneration }];
    return [{ type: "PodResizePending", status: "True", observedGeneration, ...this.#state }];
  }
}
