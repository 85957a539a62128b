/** A class of requests that wants seats. */
export interface SeatClaim {
  readonly least: number;
  readonly most: number;
  readonly target: number;
}

export interface SeatAllocation {
  /** The seats of each claim, in order; not rounded. */
  readonly seats: readonly number[];
  /** The share of its target that every claim gets which is bound neither by its least nor by its most. */
  readonly fairShare: number;
}

/** Smaller targets count as this. */
const leastTarget = 0.001;
const epsilon = 0.0000001;

/**
 * Distributes `total` seats in proportion to the targets, as far as the bounds allow: each claim gets the fair share
 * of its target, but at least its least and at most its most, and the sum is `total`. Undefined if no distribution
 * has that sum.
 */
export function allocateSeats(
  total: number,
  claims: readonly SeatClaim[],
): SeatAllocation | undefined {
  if (total === 0) return { seats: claims.map(() => 0), fairShare: 0 };
  const targets = claims.map(({ target }) => Math.max(target, leastTarget));
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const leasts = claims.map(({ least }) => least);
  const mosts = claims.map(({ most }) => most);
  const shares = (values: readonly number[]) =>
    values.map((value, i) => value / (targets[i] as number));
  if (sum(leasts) - total > epsilon || total - sum(mosts) > epsilon) return undefined;
  if (sum(leasts) - total > -epsilon)
    return { seats: leasts, fairShare: Math.min(...shares(leasts)) };
  if (total - sum(mosts) > -epsilon) return { seats: mosts, fairShare: Math.max(...shares(mosts)) };
  const seatsAt = (share: number) =>
    claims.map(({ least, most }, i) =>
      Math.max(least, Math.min(most, share * (targets[i] as number))),
    );
  const fairShare = shareFor(total, {
    bounds: [...shares(leasts), ...shares(mosts)],
    sumAt: (share) => sum(seatsAt(share)),
  });
  return { seats: seatsAt(fairShare), fairShare };
}

/** The share at which the sum is `total`: the sum grows with the share, on a line between two bounds. */
function shareFor(
  total: number,
  { bounds, sumAt }: { readonly bounds: number[]; readonly sumAt: (share: number) => number },
): number {
  const ascending = bounds.sort((a, b) => a - b);
  let low = ascending[0] as number;
  for (const high of ascending) {
    const [before, after] = [sumAt(low), sumAt(high)];
    if (after >= total)
      return after === before ? high : low + ((total - before) / (after - before)) * (high - low);
    low = high;
  }
  return low;
}
