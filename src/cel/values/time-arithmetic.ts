import { CelDuration, type CelError, CelTimestamp, type CelValue } from "./cel-value.ts";
import { integerOverflow, isTimestamp, timestampOverflow } from "./convert-value.ts";

const second = 1_000_000_000n;

/** A duration, unless it is too long for one. */
export const durationOf = (nanos: bigint): CelValue =>
  nanos === BigInt.asIntN(64, nanos) ? new CelDuration(nanos) : integerOverflow;

/** The time so many nanoseconds after another. */
export function addDuration(time: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = time.seconds * second + BigInt(time.nanos) + nanos;
  let seconds = total / second;
  let rest = total % second;
  if (rest < 0n) {
    seconds -= 1n;
    rest += second;
  }
  if (!isTimestamp(seconds)) return timestampOverflow;
  return new CelTimestamp(seconds, Number(rest), time.offset);
}

/** The time between two times. */
export function subtractTimes(a: CelTimestamp, b: CelTimestamp): CelValue {
  const seconds = (a.seconds - b.seconds) * second;
  if (seconds !== BigInt.asIntN(64, seconds)) return integerOverflow;
  return durationOf(seconds + BigInt(a.nanos - b.nanos));
}
