/** Calls `work` for every item, `count` at the same time; after the first error it starts no more, and rejects. */
export async function atATime<T>(
  count: number,
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (hasFailed) return;
      try {
        await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, worker));
}
