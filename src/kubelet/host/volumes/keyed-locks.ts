/** Runs work with the same key one after another, and other work at once. */
export function keyedLocks(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const result = before.then(work, work);
    const ended = result.then(ignore, ignore).then(() => {
      if (last.get(key) === ended) last.delete(key);
    });
    last.set(key, ended);
    return result;
  };
}

const ignore = (): void => {};
