import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";

/** Keys whose reconcile is postponed, to collect several changes. */
export class Postponed {
  readonly #waiting = new Map<string, { ms: number; since?: number }>();

  /** A change of a key that must be written within a number of milliseconds. */
  within(key: ObjectKey, ms: number): void {
    const text = formatKey(key);
    const waiting = this.#waiting.get(text);
    if (waiting) waiting.ms = Math.min(waiting.ms, ms);
    else this.#waiting.set(text, { ms });
  }

  /**
   * How long a key still has to wait, counted from the first call; 0 when its time has come, and then its
   * changes are cleared.
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

  /** The same for a reconcile; a retry does not wait again. */
  turn(key: ObjectKey, { attempt, clock }: Pick<ReconcileContext, "attempt" | "clock">): number {
    if (attempt === 1) return this.take(key, clock.now());
    this.#waiting.delete(formatKey(key));
    return 0;
  }
}
