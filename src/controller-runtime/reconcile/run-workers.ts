import type { RateLimitingQueue } from "../../base/queue/rate-limiting-queue.ts";

/** What happens to an item after its work: nothing, a retry after its backoff, or a retry after a delay. */
export type WorkOutcome = "done" | "retry" | { readonly afterMs: number };

export interface WorkerOptions<T> {
  /** How many items are worked on at the same time. */
  readonly workers: number;
  readonly work: (item: T) => Promise<WorkOutcome>;
  /** Called with an error that `work` threw; the item is retried after its backoff. */
  readonly onError: (item: T, error: unknown) => void;
}

/** Works on the items of a queue until it is shut down; the next start finds the items that are left. */
export async function runWorkers<T extends NonNullable<unknown>>(
  queue: RateLimitingQueue<T>,
  { workers, work, onError }: WorkerOptions<T>,
): Promise<void> {
  const outcomeOf = async (item: T): Promise<WorkOutcome> => {
    try {
      return await work(item);
    } catch (error) {
      if (!queue.shuttingDown) onError(item, error);
      return "retry";
    }
  };
  const worker = async (): Promise<void> => {
    for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
      const outcome = queue.shuttingDown ? "done" : await outcomeOf(item);
      if (outcome === "done") queue.forget(item);
      else if (outcome === "retry") queue.addRateLimited(item);
      else queue.addAfter(item, outcome.afterMs);
      queue.done(item);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
