/**
 * Long enough for a busy machine: the limit of a wait that ends earlier unless something hangs. A
 * test about time itself has limits of its own.
 */
export const longEnoughMs = 60_000;

/** The time limits of all tests: a wait fails before its test does, and so says what it waited for. */
export const timeLimits = {
  testTimeout: 2 * longEnoughMs,
  hookTimeout: 2 * longEnoughMs,
  expect: { poll: { timeout: longEnoughMs } },
};
