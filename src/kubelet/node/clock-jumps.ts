import { type Clock, ticksOf } from "../../base/clock.ts";

/** Returns a function that tells by how many milliseconds the time of the machine was set since its last call. */
export function clockJumps(clock: Clock): () => number {
  const ticks = ticksOf(clock);
  let before = clock.now() - ticks();
  return () => {
    const now = clock.now() - ticks();
    const jumped = now - before;
    before = now;
    return Math.abs(jumped) < leastJumpMs ? 0 : jumped;
  };
}

/** Time that is corrected little by little does not jump. */
const leastJumpMs = 2000;
