import { type Clock, sleep } from "../../../base/clock.ts";
import type { CacheWatcher, WatchCache } from "../../watch/watch-cache.ts";

/** Ends the watches of clients one after the other, evenly over a period, so that they do not reconnect at once. */
export async function endWatches(
  cache: Pick<WatchCache, "resources">,
  { clock, periodMs }: { readonly clock: Clock; readonly periodMs: number },
): Promise<void> {
  if (periodMs <= 0) return;
  const watchers: CacheWatcher[] = [];
  for (const { watchers: ofKind } of cache.resources())
    for (const watcher of ofKind) if (watcher.isOfClient) watchers.push(watcher);
  const start = clock.now();
  for (const [i, watcher] of watchers.entries()) {
    const wait = start + ((i + 1) * periodMs) / watchers.length - clock.now();
    // Several watches end together where there are many.
    if (wait > leastWaitMs) await sleep(clock, wait);
    watcher.end("the server stops");
  }
}

const leastWaitMs = 5;
