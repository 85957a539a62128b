interface VerdictOptions {
  readonly unit: string;
  /** The largest ratio to the reference. */
  readonly bound?: number | undefined;
  /** The largest value. */
  readonly most?: number | undefined;
}

/** Prints a measurement beside the reference, and whether it keeps its bound. */
export function verdict(
  name: string,
  own: number,
  reference: number,
  { unit, bound, most }: VerdictOptions,
): void {
  const ratio = own / reference;
  const isKept = (bound === undefined || ratio <= bound) && (most === undefined || own <= most);
  const limit =
    bound === undefined
      ? most === undefined
        ? ""
        : ` (bound ≤ ${most} ${unit})`
      : ` (bound ≤ ${bound} ×)`;
  const kept = limit === "" ? "" : isKept ? " ok" : " MISSED";
  const figures = `${own.toFixed(1)} ${unit}; reference ${reference.toFixed(1)} ${unit}`;
  console.log(`${name.padEnd(44)} ${figures}: ${ratio.toFixed(2)} ×${limit}${kept}`);
}

/** The value below which a share of the values is. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
