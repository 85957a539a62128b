/** Waits for something that others wait for, too: only the waiting ends when the signal aborts. */
export function abortable<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    const done = (): void => signal.removeEventListener("abort", abort);
    work.then(resolve, reject).finally(done);
  });
}
