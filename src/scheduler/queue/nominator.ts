import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodInfo } from "../framework/pod-info.ts";

/** The nominated nodes of pods. */
export class Nominator {
  /** Returns the pod as the informer has it; undefined if it is deleted. */
  readonly #current: (key: string) => Pod | undefined;
  readonly #byNode = new Map<string, Map<string, string>>();
  readonly #nodeOf = new Map<string, string>();

  constructor(current: (key: string) => Pod | undefined) {
    this.#current = current;
  }

  get size(): number {
    return this.#nodeOf.size;
  }

  /** The keys of the pods that are nominated for a node, by uid. */
  on(node: string): ReadonlyMap<string, string> {
    return this.#byNode.get(node) ?? none;
  }

  /** Nominates a pod for the given node, or else for that of its status. */
  add({ pod, uid, key }: PodInfo, node = pod.status.nominatedNodeName ?? ""): void {
    this.delete(uid);
    if (node === "") return;
    const current = this.#current(key);
    if (!current || current.spec.nodeName) return;
    this.#nodeOf.set(uid, node);
    const pods = this.#byNode.get(node);
    if (pods) pods.set(uid, key);
    else this.#byNode.set(node, new Map([[uid, key]]));
  }

  /** Updates a pod. If neither version has a nominated node, the nomination made here stays. */
  update(old: Pod, now: PodInfo): void {
    const { uid = "" } = old.metadata;
    const isUnnamed = !old.status.nominatedNodeName && !now.pod.status.nominatedNodeName;
    const kept = isUnnamed ? this.#nodeOf.get(uid) : undefined;
    this.delete(uid);
    if (kept === undefined) this.add(now);
    else this.add(now, kept);
  }

  delete(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }
}

const none: ReadonlyMap<string, string> = new Map();
