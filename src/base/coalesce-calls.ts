/**
 * Coalesces concurrent calls: callers that come while a call is running share the next one, which
 * starts when that one is done. No caller gets a result that was read before it asked.
 */
export function coalesceCalls<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    next = undefined;
    const result = call();
    const done = result.then(ignore, ignore).then(() => {
      if (running === done) running = undefined;
    });
    running = done;
    return result;
  };
  return () => {
    if (next !== undefined) return next;
    if (running === undefined) return begin();
    next = running.then(begin);
    return next;
  };
}

const ignore = (): void => {};
