import { onAbort } from "../base/on-abort.ts";

/** Waits for something that others wait for, too: only the waiting ends when the signal aborts. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const unfollow = onAbort(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(unfollow);
  });
}
