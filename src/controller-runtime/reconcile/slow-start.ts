/**
 * Calls a function `count` times in batches that double, and stops after the first batch with a failure:
 * a failure that affects all calls, such as a quota, is not repeated thousands of times.
 */
export async function slowStart(
  count: number,
  work: (index: number) => Promise<unknown>,
  first = 1,
): Promise<{ readonly successes: number; readonly error?: unknown }> {
  let successes = 0;
  let begun = 0;
  for (let size = Math.min(first, count); size > 0; size = Math.min(2 * size, count - begun)) {
    const start = begun;
    const results = await Promise.allSettled(
      Array.from({ length: size }, async (_, i) => work(start + i)),
    );
    begun += size;
    const failed = results.filter((result) => result.status === "rejected");
    successes += size - failed.length;
    const [failure] = failed;
    if (failure) return { successes, error: failure.reason };
  }
  return { successes };
}
