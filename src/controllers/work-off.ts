import type { RateLimitingQueue } from "../base/rate-limiting-queue.ts";

export interface WorkOffOptions<T> {
  /** How many at a time. */
  readonly workers: number;
  readonly work: (item: T) => Promise<void>;
  /** Is told of what failed, which comes back after its backoff. */
  readonly onFault: (item: T, error: unknown) => void;
}

/** Takes items off a queue until it is shut down and empty. */
export async function workOff<T extends NonNullable<unknown>>(
  queue: RateLimitingQueue<T>,
  { workers, work, onFault }: WorkOffOptions<T>,
): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
      try {
        await work(item);
        queue.forget(item);
      } catch (error) {
        if (!queue.shuttingDown) onFault(item, error);
        queue.addRateLimited(item);
      } finally {
        queue.done(item);
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
