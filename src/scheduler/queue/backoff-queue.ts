import type { Clock } from "../../base/clock.ts";
import { hasNoRejectors, type QueuedPod } from "../framework/queued-pod.ts";
import { PodHeap } from "./pod-heap.ts";

export interface BackoffOptions {
  readonly clock: Clock;
  readonly initialMs: number;
  readonly maxMs: number;
  /** The order of pods whose backoff ends in the same second. */
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
}

/**
 * Pods that back off after failed attempts: 1 s, 2 s, 4 s … 10 s. Unschedulable ones may be popped early
 * when the active queue is empty; those that failed with an error may not. A backoff ends at a full
 * second, so that pods within it are ordered by priority.
 */
export class BackoffQueue {
  readonly #options: BackoffOptions;
  readonly #rejected: PodHeap;
  readonly #failed: PodHeap;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#rejected = new PodHeap((a, b) => {
      const [first, second] = [this.#until(a), this.#until(b)];
      return first === second ? options.less(a, b) : first < second;
    });
    this.#failed = new PodHeap((a, b) => this.#until(a) < this.#until(b));
  }

  get size(): number {
    return this.#rejected.size + this.#failed.size;
  }

  /** Whether the backoff of a pod has not ended. */
  isBackingOff(pod: QueuedPod): boolean {
    return this.#until(pod) >= windowOf(this.#options.clock.now());
  }

  add(pod: QueuedPod): void {
    (hasNoRejectors(pod) ? this.#failed : this.#rejected).push(pod);
  }

  get(key: string): QueuedPod | undefined {
    return this.#rejected.get(key) ?? this.#failed.get(key);
  }

  delete(key: string): QueuedPod | undefined {
    return this.#rejected.delete(key) ?? this.#failed.delete(key);
  }

  /** Restores the order after a pod was updated. */
  update(pod: QueuedPod): void {
    const heap = this.#rejected.get(pod.info.key) ? this.#rejected : this.#failed;
    heap.push(pod);
  }

  /** Pops a pod before its backoff ends, for an otherwise idle scheduler. */
  popEarly(): QueuedPod | undefined {
    return this.#rejected.pop();
  }

  /** Pops the pods whose backoff has ended. */
  popCompleted(): readonly QueuedPod[] {
    const done: QueuedPod[] = [];
    for (const heap of [this.#rejected, this.#failed])
      for (let pod = heap.peek(); pod && !this.isBackingOff(pod); pod = heap.peek()) {
        heap.pop();
        done.push(pod);
      }
    return done;
  }

  /** When the next backoff ends. */
  get nextAt(): number | undefined {
    const untils = [this.#rejected.peek(), this.#failed.peek()]
      .filter((pod) => pod !== undefined)
      .map((pod) => this.#until(pod) + windowMs);
    return untils.length === 0 ? undefined : Math.min(...untils);
  }

  *values(): Iterable<QueuedPod> {
    yield* this.#rejected.values();
    yield* this.#failed.values();
  }

  #until(pod: QueuedPod): number {
    const { maxMs } = this.#options;
    const count = pod.consecutiveErrors > 0 ? pod.consecutiveErrors : pod.unschedulableCount;
    if (maxMs === 0 || count === 0) return Number.NEGATIVE_INFINITY;
    pod.backoffUntil ??= windowOf(pod.timestamp + this.#durationAfter(count));
    return pod.backoffUntil;
  }

  #durationAfter(count: number): number {
    const { initialMs, maxMs } = this.#options;
    return Math.min(maxMs, initialMs * 2 ** (count - 1));
  }
}

const windowMs = 1000;
const windowOf = (at: number): number => Math.floor(at / windowMs) * windowMs;
