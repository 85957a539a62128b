import { setMember } from "../../../../schema/json/strict-json.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
  quantitySign,
  subtractQuantities,
} from "../../../../schema/values/quantity.ts";
import { compareUtf8 } from "../../../../schema/values/utf8-order.ts";
import type { ResourceList } from "../resource-list.ts";

/** Amounts of resources, by name, to reckon with. */
export type Amounts = ReadonlyMap<string, Quantity>;

export const zero: Quantity = quantityOf(0);
export const one: Quantity = parseQuantity("1");

export const amountsOf = (list: ResourceList = {}): Amounts =>
  new Map(Object.entries(list).map(([name, amount]) => [name, parseQuantity(amount)]));

/** As the API has them, in the order of their names. */
export function resourceListOf(amounts: Amounts): ResourceList {
  const list: Record<string, string> = {};
  for (const name of sortedNames(amounts)) setMember(list, name, text(amounts.get(name)));
  return list;
}

export function add(a: Amounts, b: Amounts): Amounts {
  const sum = new Map(a);
  for (const [name, amount] of b) {
    const present = sum.get(name);
    sum.set(name, present ? addQuantities(present, amount) : amount);
  }
  return sum;
}

/** By how much `a` is more than `b`, resource by resource; what is less is no amount. */
export function increase(a: Amounts, b: Amounts): Amounts {
  const more = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const before = b.get(name);
    const difference = before ? subtractQuantities(amount, before) : amount;
    if (quantitySign(difference) > 0) more.set(name, difference);
  }
  return more;
}

/** Those of the amounts that have such a name. */
export const only = (amounts: Amounts, has: (name: string) => boolean): Amounts =>
  new Map([...amounts].filter(([name]) => has(name)));

export const withoutZeros = (amounts: Amounts): Amounts =>
  new Map([...amounts].filter(([, amount]) => !isZeroQuantity(amount)));

/** Whether the same resources have the same amounts, however they are written. */
export function sameAmounts(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false;
  for (const [name, amount] of a) {
    const other = b.get(name);
    if (!other || compareQuantities(amount, other) !== 0) return false;
  }
  return true;
}

/** The names of what is more than the limit for it. */
export const exceeding = (amounts: Amounts, limits: Amounts): ReadonlySet<string> =>
  new Set(
    [...amounts].flatMap(([name, amount]) => {
      const limit = limits.get(name);
      return limit && compareQuantities(amount, limit) > 0 ? [name] : [];
    }),
  );

/** `cpu=1,memory=1Gi`, in the order of the names. */
export const formatAmounts = (amounts: Amounts): string =>
  sortedNames(amounts)
    .map((name) => `${name}=${text(amounts.get(name))}`)
    .join(",");

const text = (amount: Quantity = zero): string => formatQuantity(amount);

const sortedNames = (amounts: Amounts): string[] => [...amounts.keys()].sort(compareUtf8);
