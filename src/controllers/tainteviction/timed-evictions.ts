import type { Clock, Timer } from "../../base/clock.ts";

/**
 * Pods that have to leave, by their keys. When a pod has to leave is decided once: whoever asks again,
 * however often, does not push that later. A pod whose time has come is due until it was dealt with.
 *
 *     later p 5 s          → p waits
 *     later p 9 s          → nothing: it waits
 *     cancel p             → true
 *     now p                → p is due at once, and cannot be cancelled any more
 */
export class TimedEvictions {
  readonly #clock: Pick<Clock, "setTimer">;
  readonly #isDue: (pod: string) => void;
  /** The timers of those that wait; none of those that are due. */
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

  /** Whether there was somebody who waited, and does not any more. */
  cancel(pod: string): boolean {
    const timer = this.#pods.get(pod);
    if (!timer) return false;
    timer.cancel();
    this.#pods.delete(pod);
    return true;
  }

  /** A pod that was due was dealt with, or need not be any more. */
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
