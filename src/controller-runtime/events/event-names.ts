import type { Clock } from "../../base/clock.ts";
import { seededEntropy } from "../../base/entropy.ts";
import type { Random } from "../../base/random.ts";
import { nameIsDnsSubdomain } from "../../schema/values/names.ts";

/**
 * Names of events: that of the object, and the time in nanoseconds.
 *
 * Clocks have milliseconds only, and several components may record events of one object in the same
 * millisecond. The remaining digits are random, so that names do not collide.
 */
export function createEventNames(clock: Clock, random: Random): (object: string) => string {
  const entropy = seededEntropy(random);
  let last = 0n;
  return (object) => {
    const now = BigInt(Math.floor(clock.now())) * nanosPerMilli + BigInt(chance(random));
    last = now > last ? now : last + 1n;
    const name = `${object}.${last.toString(16)}`;
    return nameIsDnsSubdomain(name).length > 0 ? entropy.uuid() : name;
  };
}

const nanosPerMilli = 1_000_000n;

const chance = (random: Random): number => Math.floor(random.next() * Number(nanosPerMilli));
