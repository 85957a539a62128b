/** Milliseconds since the epoch, from nanoseconds. */
export const fromNanos = (nanos: bigint): number => Number(nanos / 1_000_000n);

/** Nanoseconds since the epoch, from milliseconds. */
export const toNanos = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
