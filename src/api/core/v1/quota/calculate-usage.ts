import { addQuantities, type Quantity } from "../../../../schema/values/quantity.ts";
import { type Amounts, zero } from "./amounts.ts";
import { type AnyEvaluator, isInScopes } from "./evaluator.ts";
import type { ResourceQuotaSpec } from "./resource-quota-spec.ts";

/** The objects of a resource, and what they use of quotas. */
export interface CountedObjects {
  readonly evaluator: AnyEvaluator;
  readonly objects: Iterable<object>;
}

/** What objects use together of what a quota limits. What nobody tracks is not there. */
export function calculateUsage(spec: ResourceQuotaSpec, all: Iterable<CountedObjects>): Amounts {
  const used = new Map<string, Quantity>();
  for (const { evaluator, objects } of all) {
    const names = Object.keys(spec.hard ?? {}).filter((name) => evaluator.tracks(name));
    if (names.length === 0) continue;
    for (const name of names) used.set(name, used.get(name) ?? zero);
    const count = (object: object): void => {
      if (!isInScopes(evaluator, object, spec)) return;
      const usage = evaluator.usage(object);
      for (const name of names) {
        const amount = usage.get(name);
        if (amount) used.set(name, addQuantities(used.get(name) ?? zero, amount));
      }
    };
    try {
      for (const object of objects) count(object);
    } catch (error) {
      // A scope that no object can be in: upstream leaves it at what was counted before.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return used;
}
