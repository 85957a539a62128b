import type { CelValue } from "../values/cel-value.ts";

/** What a function does: with one operand, with two, or with any number. */
export interface Implementation {
  readonly one?: (value: CelValue) => CelValue;
  readonly two?: (a: CelValue, b: CelValue) => CelValue;
  readonly all?: (values: readonly CelValue[]) => CelValue;
  /** Whether it is called with errors, too. */
  readonly takesErrors?: boolean;
  /** Whether it checks itself what it is given. */
  readonly isUnguarded?: boolean;
}

/** Implementations by the ids of the ways to call functions, or by the names of functions. */
export type Implementations = Readonly<Record<string, Implementation>>;

/**
 * What a function does whose operands are known to be of the declared types: that is checked before. The
 * type of an operand is the implementer's word.
 */
export const one = <A extends CelValue>(run: (value: A) => CelValue): Implementation => ({
  one: run as (value: CelValue) => CelValue,
});
export const two = <A extends CelValue, B extends CelValue>(
  run: (a: A, b: B) => CelValue,
): Implementation => ({ two: run as (a: CelValue, b: CelValue) => CelValue });
export const all = <V extends readonly CelValue[]>(
  run: (...values: V) => CelValue,
): Implementation => ({ all: (values) => run(...(values as unknown as V)) });
