import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";

/** Which keys may wait until more has happened to them, and how long. */
export class Postponed {
  readonly #waiting = new Map<string, { ms: number; since?: number }>();

  /** Something happened to a key that must be told within so many milliseconds. */
  within(key: ObjectKey, ms: number): void {
    const text = formatKey(key);
    const waiting = this.#waiting.get(text);
    if (waiting) waiting.ms = Math.min(waiting.ms, ms);
    else this.#waiting.set(text, { ms });
  }

  /**
   * How long a key has still to wait, which begins when it is first asked; 0 when its turn has come, and
   * all that happened to it is forgotten.
   */
  take(key: ObjectKey, now: number): number {
    const text = formatKey(key);
    const waiting = this.#waiting.get(text);
    if (!waiting) return 0;
    waiting.since ??= now;
    const left = waiting.since + waiting.ms - now;
    if (left > 0) return left;
    this.#waiting.delete(text);
    return 0;
  }

  /** The same for a reconcile: one that failed has waited already. */
  turn(key: ObjectKey, { attempt, clock }: Pick<ReconcileContext, "attempt" | "clock">): number {
    if (attempt === 1) return this.take(key, clock.now());
    this.#waiting.delete(formatKey(key));
    return 0;
  }
}
