import type { Container } from "../../api/core/v1/container/container.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { endsBeforeOthers } from "../topology/containers-in-order.ts";
import { maskOf, type NumaMask } from "../topology/numa-mask.ts";
import type { MemoryBlock } from "./memory-state.ts";

/** The memory of init containers of the pod that is being admitted: containers after them can have it, too. */
export class ReusableBlocks {
  #podUid = "";
  readonly #bytes = new Map<string, number>();

  bytesOf(podUid: string, nodes: NumaMask, type: string): number {
    return podUid === this.#podUid ? (this.#bytes.get(keyOf(nodes, type)) ?? 0) : 0;
  }

  /** A container uses blocks: those of an init container that ends can be used again, those of others no longer. */
  use(pod: Pod, container: Container, blocks: readonly MemoryBlock[]): void {
    const { uid = "" } = pod.metadata;
    if (uid !== this.#podUid) this.#bytes.clear();
    this.#podUid = uid;
    const ends = endsBeforeOthers(pod, container);
    for (const { nodes, type, bytes } of blocks) {
      const key = keyOf(maskOf(nodes), type);
      const before = this.#bytes.get(key) ?? 0;
      this.#bytes.set(key, ends ? Math.max(before, bytes) : Math.max(0, before - bytes));
    }
  }
}

const keyOf = (nodes: NumaMask, type: string): string => `${nodes} ${type}`;
