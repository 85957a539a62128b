import type { Clock } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import { TokenBucket } from "../../base/queue/token-bucket.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";

/** How many images a node pulls. */
export interface PullLimits {
  /** How many at a time; undefined for any number. */
  readonly mostAtOnce: number | undefined;
  /** How many per second; 0 for any number. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface FinishedPull<T> {
  readonly result: T;
  /** How long it took, without the time that it waited for others. */
  readonly tookMs: number;
}

/** Lets the pulls of a node wait for each other. */
export interface PullQueue {
  /** Pulls when it is its turn. Rejects if there are too many per second, or if the signal aborts before that. */
  run<T>(pull: () => Promise<T>, signal: AbortSignal): Promise<FinishedPull<T>>;
}

/** The limits that a configuration sets: one pull at a time, unless it says otherwise. */
export function pullLimits(configuration: KubeletConfiguration): PullLimits {
  const { serializeImagePulls = true, maxParallelImagePulls } = configuration;
  const { registryPullQPS = 5, registryBurst = 10 } = configuration;
  const mostAtOnce = serializeImagePulls ? 1 : maxParallelImagePulls;
  return { mostAtOnce, perSecond: registryPullQPS, burst: registryBurst };
}

/** A pull that waits takes no token of its rate: the rate counts when a pull begins. */
export function createPullQueue(
  { mostAtOnce = Infinity, perSecond, burst }: PullLimits,
  clock: Clock,
): PullQueue {
  const bucket = perSecond > 0 ? new TokenBucket({ clock, rate: perSecond, burst }) : undefined;
  const waiting = new Set<() => void>();
  let running = 0;

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const unfollow = onAbort(signal, () => {
        waiting.delete(begin);
        reject(signal.reason);
      });
      const begin = (): void => {
        unfollow();
        resolve();
      };
      waiting.add(begin);
    });

  return {
    async run(pull, signal) {
      signal.throwIfAborted();
      if (running < mostAtOnce) running++;
      // The pull that ends passes its place on.
      else await turn(signal);
      try {
        if (bucket && !bucket.tryTake()) throw new Error("pull QPS exceeded");
        const start = clock.now();
        const result = await pull();
        return { result, tookMs: clock.now() - start };
      } finally {
        const [next] = waiting;
        if (next) {
          waiting.delete(next);
          next();
        } else running--;
      }
    },
  };
}
