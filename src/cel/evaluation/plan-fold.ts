import type { ComprehensionExpr } from "../syntax/ast.ts";
import { CelError, CelList, CelMap, type CelValue, isError } from "../values/cel-value.ts";
import { goTypeOf } from "../values/go-type.ts";
import { GrowingList } from "../values/list.ts";
import { GrowingMap } from "../values/map.ts";
import type { Frame, Run } from "./frame.ts";
import type { Planning } from "./planned.ts";

/** Makes what runs a fold. Its accumulator begins when it is first asked for. */
export function planFold(planning: Planning, fold: ComprehensionExpr): Run {
  const begin = planning.runOf(fold.initial);
  const range = planning.runOf(fold.range);
  const accumulator = planning.newSlot();
  const [first, second] = [planning.newSlot(), planning.newSlot()];
  const accumulated: Run = (frame) => {
    let value = frame.slots[accumulator];
    if (value === undefined) {
      value = growing(begin(frame));
      frame.slots[accumulator] = value;
    }
    return value;
  };
  const outer = new Map([[fold.accumulator, accumulated]]);
  // A variable of the same name as the accumulator is hidden by it.
  const inner = new Map([
    ...(fold.variable2 === undefined ? [] : [[fold.variable2, readSlot(second)] as const]),
    [fold.variable, readSlot(first)] as const,
    ...outer,
  ]);
  const { condition, step } = planning.within(inner, () => ({
    condition: planning.runOf(fold.condition),
    step: planning.runOf(fold.step),
  }));
  const result = planning.within(outer, () => planning.runOf(fold.result));
  const isPair = fold.variable2 !== undefined;

  return (frame) => {
    const { slots } = frame;
    const values = range(frame);
    if (isError(values)) return values;
    slots[accumulator] = undefined;
    if (values instanceof CelList) foldList(frame, values);
    else if (values instanceof CelMap) foldMap(frame, values);
    else return new CelError(notARange(values, isPair));
    const value = result(frame);
    return value instanceof GrowingList ? value.whole() : value;
  };

  function foldList(frame: Frame, list: CelList): void {
    const { slots } = frame;
    const { size } = list;
    for (let i = 0; i < size; i++) {
      slots[first] = isPair ? BigInt(i) : list.at(i);
      if (isPair) slots[second] = list.at(i);
      if (condition(frame) === false) return;
      slots[accumulator] = step(frame);
    }
  }

  function foldMap(frame: Frame, map: CelMap): void {
    const { slots } = frame;
    for (const key of map.keys()) {
      slots[first] = key;
      if (isPair) slots[second] = map.find(key) ?? null;
      if (condition(frame) === false) return;
      slots[accumulator] = step(frame);
    }
  }
}

const readSlot =
  (slot: number): Run =>
  ({ slots }) =>
    slots[slot] ?? null;

/** Folds add to what begins empty, rather than copy it with each element. */
function growing(value: CelValue): CelValue {
  if (value instanceof CelList && value.size === 0) return new GrowingList();
  return value instanceof CelMap && value.size === 0 ? new GrowingMap() : value;
}

const notARange = (value: CelValue, isPair: boolean): string =>
  isPair
    ? `unsupported comprehension range type: ${goTypeOf(value)}`
    : `got '${goTypeOf(value)}', expected iterable type`;
