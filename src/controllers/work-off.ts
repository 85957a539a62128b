import type { RateLimitingQueue } from "../base/queue/rate-limiting-queue.ts";

/** What becomes of an item that was worked on: nothing, another try after its backoff, or one at a time. */
export type WorkOutcome = "done" | "again" | { readonly afterMs: number };

export interface WorkOffOptions<T> {
  /** How many at a time. */
  readonly workers: number;
  readonly work: (item: T) => Promise<WorkOutcome>;
  /** Is told of what failed, which comes back after its backoff. */
  readonly onFault: (item: T, error: unknown) => void;
}

/** Takes items off a queue until it is shut down; what is left then is found again at the next start. */
export async function workOff<T extends NonNullable<unknown>>(
  queue: RateLimitingQueue<T>,
  { workers, work, onFault }: WorkOffOptions<T>,
): Promise<void> {
  const outcomeOf = async (item: T): Promise<WorkOutcome> => {
    try {
      return await work(item);
    } catch (error) {
      if (!queue.shuttingDown) onFault(item, error);
      return "again";
    }
  };
  const worker = async (): Promise<void> => {
    for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
      const outcome = queue.shuttingDown ? "done" : await outcomeOf(item);
      if (outcome === "done") queue.forget(item);
      else if (outcome === "again") queue.addRateLimited(item);
      else queue.addAfter(item, outcome.afterMs);
      queue.done(item);
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
