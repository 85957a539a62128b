import { quote } from "../../../../schema/values/quote.ts";
import { ErrorList } from "../../../program/command-error.ts";

/** A taint of a node; what else it has, such as a time, is kept. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface TaintChanges {
  readonly add: readonly Taint[];
  /** Without an effect, all taints with the key. */
  readonly remove: readonly Taint[];
}

/** The taints of a node after changes, and what was done to it; throws for what is not allowed or not there. */
export function changeTaints(
  node: string,
  before: readonly Taint[],
  { add, remove, overwrite }: TaintChanges & { readonly overwrite: boolean },
): { readonly taints: readonly Taint[]; readonly operation: string } {
  const existing = add.flatMap((taint) =>
    before.filter((one) => isSame(one, taint)).map(() => taint.key),
  );
  if (!overwrite && existing.length > 0)
    throw new Error(
      `node ${node} already has ${existing.join(",")} taint(s) with same effect(s) and --overwrite is false`,
    );
  const others = before.filter((taint) => !add.some((one) => isSame(one, taint)));
  let taints: readonly Taint[] = [...add, ...others];
  const isAdded = taints.length !== before.length;
  const errors: Error[] = [];
  // The original goes by the last of several removals.
  let isRemoved = false;
  for (const gone of remove) {
    const left = taints.filter((taint) =>
      gone.effect === "" ? taint.key !== gone.key : !isSame(taint, gone),
    );
    isRemoved = left.length !== taints.length;
    if (!isRemoved) errors.push(new Error(`taint ${quote(taintText(gone))} not found`));
    taints = left;
  }
  if (errors.length > 0) throw new ErrorList(errors);
  if ((isAdded && isRemoved) || overwrite) return { taints, operation: "modified" };
  return { taints, operation: isAdded ? "tainted" : "untainted" };
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

const taintText = ({ key, effect }: Taint): string => (effect === "" ? key : `${key}:${effect}`);
