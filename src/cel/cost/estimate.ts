/** A size or a cost of which only the least and the most are known. */
export interface Estimate {
  readonly min: number;
  readonly max: number;
}

/** The most that can be counted to: what is more counts as this. */
export const uncountable = 2 ** 64;

export const fixed = (value: number): Estimate => ({ min: value, max: value });

/** What can be anything. */
export const unknown: Estimate = { min: 0, max: uncountable };

export const add = (...estimates: readonly Estimate[]): Estimate => ({
  min: capped(estimates.reduce((sum, { min }) => sum + min, 0)),
  max: capped(estimates.reduce((sum, { max }) => sum + max, 0)),
});

export const multiply = (a: Estimate, b: Estimate): Estimate => ({
  min: capped(a.min * b.min),
  max: capped(a.max * b.max),
});

/** So much for each, rounded up. */
export const times = ({ min, max }: Estimate, factor: number): Estimate => ({
  min: capped(Math.ceil(min * factor)),
  max: capped(Math.ceil(max * factor)),
});

/** Either of them. */
export const union = (a: Estimate, b: Estimate): Estimate => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});

const capped = (value: number): number => Math.min(value, uncountable);
