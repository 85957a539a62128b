import type { Clock } from "../../base/clock.ts";
import { hasNoRejectors, type QueuedPod } from "../framework/queued-pod.ts";
import { PodHeap } from "./pod-heap.ts";

export interface BackoffOptions {
  readonly clock: Clock;
  readonly initialMs: number;
  readonly maxMs: number;
  /** Which of two pods that may be tried at the same time is tried first. */
  readonly less: (a: QueuedPod, b: QueuedPod) => boolean;
}

/**
 * Pods that were tried in vain and wait before they are tried again: 1 s, 2 s, 4 s … 10 s. Those that
 * were turned away may be taken earlier when there is nothing else to do; those with which something
 * went wrong may not. Waits end with full seconds, so that within one the more important goes first.
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

  /** Whether a pod still has to wait. */
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

  /** Restores the order after a pod has changed. */
  update(pod: QueuedPod): void {
    const heap = this.#rejected.get(pod.info.key) ? this.#rejected : this.#failed;
    heap.push(pod);
  }

  /** A pod that need not wait longer, because nobody is before it. */
  popEarly(): QueuedPod | undefined {
    return this.#rejected.pop();
  }

  /** The pods that have waited long enough. */
  popCompleted(): readonly QueuedPod[] {
    const done: QueuedPod[] = [];
    for (const heap of [this.#rejected, this.#failed])
      for (let pod = heap.peek(); pod && !this.isBackingOff(pod); pod = heap.peek()) {
        heap.pop();
        done.push(pod);
      }
    return done;
  }

  /** When the next pod will have waited long enough. */
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
