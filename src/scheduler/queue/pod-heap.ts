import { Heap } from "../../base/queue/heap.ts";
import type { QueuedPod } from "../framework/queued-pod.ts";

/** A heap of pods, with lookup by `NAMESPACE/NAME`. */
export class PodHeap {
  readonly #heap: Heap<QueuedPod>;
  readonly #byKey = new Map<string, QueuedPod>();

  constructor(before: (a: QueuedPod, b: QueuedPod) => boolean) {
    this.#heap = new Heap(before);
  }

  get size(): number {
    return this.#heap.size;
  }

  get(key: string): QueuedPod | undefined {
    return this.#byKey.get(key);
  }

  peek(): QueuedPod | undefined {
    return this.#heap.peek();
  }

  /** Adds a pod, or moves it to its new position. */
  push(pod: QueuedPod): void {
    const known = this.#byKey.get(pod.info.key);
    if (known && known !== pod) this.#heap.delete(known);
    this.#byKey.set(pod.info.key, pod);
    this.#heap.push(pod);
  }

  pop(): QueuedPod | undefined {
    const pod = this.#heap.pop();
    if (pod) this.#byKey.delete(pod.info.key);
    return pod;
  }

  delete(key: string): QueuedPod | undefined {
    const pod = this.#byKey.get(key);
    if (!pod) return undefined;
    this.#byKey.delete(key);
    this.#heap.delete(pod);
    return pod;
  }

  values(): Iterable<QueuedPod> {
    return this.#byKey.values();
  }
}
