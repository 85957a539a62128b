/**
 * How long to wait before an agent that has ended is started again. The wait grows while agents end soon after
 * their start; one that has run for a while is replaced at once, so that its pods are not long without it.
 */
export const restartWait = (waitedMs: number, ranMs: number): number =>
  ranMs >= longEnoughMs || waitedMs === 0 ? shortestMs : Math.min(waitedMs * 2, longestMs);

const shortestMs = 200;
const longestMs = 10_000;
const longEnoughMs = 5000;
