import type { Clock, Timer } from "../../base/clock.ts";

/**
 * Scheduled evictions of pods, by key. The time of an eviction is set once: later calls do not postpone
 * it. A pod stays due until its eviction is complete.
 *
 *     later p 5 s          → p waits
 *     later p 9 s          → nothing: it waits
 *     cancel p             → true
 *     now p                → p is due at once, and cannot be cancelled any more
 */
export class TimedEvictions {
  readonly #clock: Pick<Clock, "setTimer">;
  readonly #isDue: (pod: string) => void;
  /** Timers by pod; undefined for a pod that is due. */
  readonly #pods = new Map<string, Timer | undefined>();

  constructor(clock: Pick<Clock, "setTimer">, isDue: (pod: string) => void) {
    this.#clock = clock;
    this.#isDue = isDue;
  }

  get size(): number {
    return this.#pods.size;
  }

  later(pod: string, ms: number): void {
    if (this.#pods.has(pod)) return;
    if (ms <= 0) this.#due(pod);
    else
      this.#pods.set(
        pod,
        this.#clock.setTimer(ms, () => this.#due(pod)),
      );
  }

  now(pod: string): void {
    if (!this.#pods.has(pod)) this.#due(pod);
  }

  /** Cancels a scheduled eviction; false if there is none. */
  cancel(pod: string): boolean {
    const timer = this.#pods.get(pod);
    if (!timer) return false;
    timer.cancel();
    this.#pods.delete(pod);
    return true;
  }

  /** The eviction of a pod is complete, or no longer needed. */
  done(pod: string): void {
    this.#pods.get(pod)?.cancel();
    this.#pods.delete(pod);
  }

  close(): void {
    for (const timer of this.#pods.values()) timer?.cancel();
    this.#pods.clear();
  }

  #due(pod: string): void {
    this.#pods.set(pod, undefined);
    this.#isDue(pod);
  }
}
