import type { LimitRangeItem } from "../../../api/core/v1/quota/limit-range-item.ts";
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
  roundUpQuantity,
} from "../../../schema/values/quantity.ts";

/** Amounts by the name of a resource, as they are before an object is put in its stored form. */
export type Amounts = Readonly<Record<string, string | number>>;

/** The requests and limits of a container, pod or claim. */
export interface Usage {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The messages for resources of a container or pod that violate its limits. */
export function limitProblems(item: LimitRangeItem, usage: Usage): readonly string[] {
  return [
    ...problems(item, item.min, (enforced) => tooLittle(enforced, usage)),
    ...problems(item, item.max, (enforced) => tooMuch(enforced, usage)),
    ...problems(item, item.maxLimitRequestRatio, (enforced) => tooWide(enforced, usage)),
  ];
}

/** The same for a claim, of which only the requests count. */
export function requestProblems(item: LimitRangeItem, requests: Amounts): readonly string[] {
  return [
    ...problems(item, item.min, (enforced) => tooLittle(enforced, { requests, limits: {} })),
    ...problems(item, item.max, (enforced) => tooMuchAsked(enforced, requests)),
  ];
}

/** One limit: `resource` per `type` is `amount`. */
interface Enforced {
  readonly type: string;
  readonly resource: string;
  readonly amount: Quantity;
}

function problems(
  { type }: LimitRangeItem,
  list: Amounts | undefined,
  problemOf: (enforced: Enforced) => string | undefined,
): readonly string[] {
  return Object.keys(list ?? {}).flatMap((resource) => {
    const amount = amountOf(list ?? {}, resource);
    return (amount && problemOf({ type, resource, amount })) ?? [];
  });
}

function amountOf(list: Amounts, resource: string): Quantity | undefined {
  return Object.hasOwn(list, resource) ? parseQuantity(`${list[resource]}`) : undefined;
}

const shown = formatQuantity;

function tooLittle(enforced: Enforced, { requests, limits }: Usage): string | undefined {
  const { type, resource, amount } = enforced;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits, resource);
  const compare = comparison(request, limit, amount);
  const minimum = `minimum ${resource} usage per ${type} is ${shown(amount)}`;
  if (!request) return `${minimum}.  No request is specified`;
  if (compare(request, amount) < 0) return `${minimum}, but request is ${shown(request)}`;
  if (limit && compare(limit, amount) < 0) return `${minimum}, but limit is ${shown(limit)}`;
  return undefined;
}

function tooMuch(enforced: Enforced, { requests, limits }: Usage): string | undefined {
  const { type, resource, amount } = enforced;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits, resource);
  const compare = comparison(request, limit, amount);
  const maximum = `maximum ${resource} usage per ${type} is ${shown(amount)}`;
  if (!limit) return `${maximum}.  No limit is specified`;
  if (compare(limit, amount) > 0) return `${maximum}, but limit is ${shown(limit)}`;
  if (request && compare(request, amount) > 0)
    return `${maximum}, but request is ${shown(request)}`;
  return undefined;
}

function tooMuchAsked({ type, resource, amount }: Enforced, requests: Amounts): string | undefined {
  const request = amountOf(requests, resource);
  const maximum = `maximum ${resource} usage per ${type} is ${shown(amount)}`;
  if (!request) return `${maximum}.  No request is specified`;
  if (comparison(request, amount)(request, amount) > 0)
    return `${maximum}, but request is ${shown(request)}`;
  return undefined;
}

function tooWide(enforced: Enforced, { requests, limits }: Usage): string | undefined {
  const { type, resource, amount } = enforced;
  const request = amountOf(requests, resource);
  const limit = amountOf(limits, resource);
  const value = isFine(request, limit, amount) ? quantityMilliValue : quantityValue;
  const most = `${resource} max limit to request ratio per ${type} is ${shown(amount)}`;
  if (!request || value(request) === 0)
    return `${most}, but no request is specified or request is 0`;
  if (!limit || value(limit) === 0) return `${most}, but no limit is specified or limit is 0`;
  const ratio = value(limit) / value(request);
  const exceeds = isFine(amount)
    ? ratio * 1000 > quantityMilliValue(amount)
    : ratio > quantityValue(amount);
  return exceeds ? `${most}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}

/** Above this, thousandths no longer fit into 64 bits. */
const maxMilli = Number((2n ** 63n - 1n) / 1000n);

const isFine = (...amounts: readonly (Quantity | undefined)[]): boolean =>
  amounts.every((amount) => !amount || quantityValue(amount) <= maxMilli);

/** How amounts are compared: by thousandths, rounded up, or by whole ones where any is too large. */
function comparison(...amounts: readonly (Quantity | undefined)[]) {
  const scale = isFine(...amounts) ? -3 : 0;
  return (a: Quantity, b: Quantity): number =>
    compareQuantities(roundUpQuantity(a, scale), roundUpQuantity(b, scale));
}
