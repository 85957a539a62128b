import { CelList, type CelUint, type CelValue, isError } from "../values/cel-value.ts";
import { compareNumbers, isNumber } from "../values/compare-values.ts";
import { mustBeHashable } from "../values/panic.ts";
import type { Run } from "./frame.ts";

/**
 * Tests whether a list of constants has a value, in one step. The answer itself if the list is empty;
 * undefined where the elements of the list have no simple type.
 */
export function membershipTest(list: CelValue, value: Run): Run | false | undefined {
  if (!(list instanceof CelList)) return undefined;
  if (list.size === 0) return false;
  const others = new Set<CelValue>();
  const numbers: (bigint | number | CelUint)[] = [];
  for (let i = 0; i < list.size; i++) {
    const element = list.at(i);
    if (isNumber(element)) numbers.push(element);
    else if (typeof element === "string" || typeof element === "boolean") others.add(element);
    else return undefined;
  }
  return (frame) => {
    const tested = value(frame);
    if (isError(tested)) return tested;
    mustBeHashable(tested);
    if (!isNumber(tested)) return others.has(tested);
    return numbers.some((number) => compareNumbers(number, tested) === 0);
  };
}
