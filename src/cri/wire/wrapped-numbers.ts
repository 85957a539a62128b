/** A number within a message, so that zero and absent differ. */
export interface WrappedNumber {
  readonly value: bigint;
}

/** A number as a message of its own; absent stays absent. */
export const wrapped = (value: number | bigint | undefined): WrappedNumber | undefined =>
  value === undefined ? undefined : { value: BigInt(value) };

/** The number of such a message; undefined if it is absent, or too large to be exact. */
export const unwrapped = (wire: WrappedNumber | undefined): number | undefined =>
  wire && safeNumber(wire.value);

/** A number that is exact; undefined for those that stand for no limit. */
export const safeNumber = (value: bigint): number | undefined =>
  value > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(value);
