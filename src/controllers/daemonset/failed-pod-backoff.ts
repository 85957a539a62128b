import type { Clock } from "../../base/clock.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";

/** Delays between the replacements of failed pods, by node: a kubelet that rejects a pod would do so again at once. */
export class FailedPodBackoff {
  #delays: ExpiringMap<string, { readonly delay: number; readonly since: number }> | undefined;

  /** How long to wait for a replacement, in milliseconds; 0 if it may happen now, from when the next delay is longer. */
  next(key: string, clock: Clock): number {
    this.#delays ??= new ExpiringMap({ clock, capacity: 100_000 });
    const now = clock.now();
    const last = this.#delays.get(key);
    if (last && now - last.since < last.delay) return last.since + last.delay - now;
    const delay = last ? Math.min(2 * last.delay, longest) : shortest;
    this.#delays.set(key, { delay, since: now }, 2 * longest);
    return 0;
  }
}

const shortest = 1000;
const longest = 15 * 60_000;
