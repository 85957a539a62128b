import { setMember } from "../../../../schema/json/strict-json.ts";
import { named } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import {
  type Draft,
  type Infer,
  type InferInput,
  struct,
} from "../../../../schema/language/struct.ts";
import { isQualifiedName } from "../../../../schema/values/names.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
  quantityValue,
} from "../../../../schema/values/quantity.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { type ResourceList, resourceList, roundUpResources } from "../resource-list.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from "../resource-name.ts";

export const LimitRangeItem = struct("io.k8s.api.core.v1.LimitRangeItem", {
  type: named(1, "v1.LimitType")
    .always()
    .expected()
    .known("Pod", "Container", "PersistentVolumeClaim")
    .doc("What is limited."),
  max: resourceList(2).doc("The most of each resource."),
  min: resourceList(3).doc("The least of each resource."),
  default: resourceList(4).doc("The limit of a container that sets none."),
  defaultRequest: resourceList(5).doc("The request of a container that sets none."),
  maxLimitRequestRatio: resourceList(6).doc("How many times the request a limit may be."),
})
  .defaults((item) => {
    for (const field of lists) roundUpResources(item[field]);
    if (item.type === "Container") containerDefaults(item);
  })
  .doc("The limits of one kind of thing.");
export interface LimitRangeItem extends Infer<typeof LimitRangeItem> {}

const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** The maximum stands in for a default limit, that or the minimum for a default request. */
function containerDefaults(item: Draft<InferInput<typeof LimitRangeItem>>): void {
  item.default = filledUp(item.default, item.max);
  item.defaultRequest = filledUp(item.defaultRequest, item.default, item.min);
}

type Amounts = Record<string, string | number> | undefined;

function filledUp(own: Amounts, ...others: readonly Amounts[]): Record<string, string | number> {
  const all: Record<string, string | number> = { ...own };
  for (const other of others)
    for (const [name, amount] of Object.entries(other ?? {}))
      if (!Object.hasOwn(all, name)) setMember(all, name, amount);
  const sorted: Record<string, string | number> = {};
  for (const name of sortedKeys(all)) setMember(sorted, name, all[name]);
  return sorted;
}

/** The rules of one item; `seen` holds the types of those before it. */
export function validateLimitRangeItem(item: LimitRangeItem, at: At, seen: Set<string>): void {
  const { type, min = {}, max = {} } = item;
  validateType(type, at);
  if (seen.has(type)) at.duplicate("type", type);
  seen.add(type);
  const names = new Set<string>();
  const note = (field: (typeof lists)[number]) => noteNames(item, at, { field, names });
  note("max");
  note("min");
  if (type === "Pod") forbidDefaults(item, at);
  else {
    note("default");
    note("defaultRequest");
  }
  if (type === "PersistentVolumeClaim" && !amount(min, "storage") && !amount(max, "storage"))
    at.required(
      "limits",
      "either minimum or maximum storage value is required, but neither was provided",
    );
  note("maxLimitRequestRatio");
  for (const name of names) validateAmounts(item, name, at);
}

function validateType(type: string, at: At): void {
  const messages = isQualifiedName(type);
  at.invalidEach("type", type, messages);
  if (messages.length > 0 || type.includes("/")) return;
  if (!["Pod", "Container", "PersistentVolumeClaim"].includes(type))
    at.invalid("type", type, "must be a standard limit type or fully qualified");
}

function noteNames(
  item: LimitRangeItem,
  at: At,
  { field, names }: { readonly field: (typeof lists)[number]; readonly names: Set<string> },
): void {
  const isOfPods = item.type === "Pod" || item.type === "Container";
  const rule = isOfPods ? validateContainerResourceName : validateResourceName;
  for (const name of Object.keys(item[field] ?? {})) {
    rule(name, at.child(field).key(name));
    names.add(name);
  }
}

function forbidDefaults(item: LimitRangeItem, at: At): void {
  for (const field of ["default", "defaultRequest"] as const)
    if (Object.keys(item[field] ?? {}).length > 0)
      at.forbidden(field, "may not be specified when `type` is 'Pod'");
}

/** An amount, and its text. */
interface Amount {
  readonly text: string;
  readonly quantity: Quantity;
}

function amount(list: ResourceList | undefined, name: string): Amount | undefined {
  const text = list && Object.hasOwn(list, name) ? list[name] : undefined;
  return text === undefined ? undefined : { text, quantity: parseQuantity(text) };
}

const exceeds = (a: Amount | undefined, b: Amount | undefined): boolean =>
  a !== undefined && b !== undefined && compareQuantities(a.quantity, b.quantity) > 0;

/** How the amounts of one resource relate. */
function validateAmounts(item: LimitRangeItem, name: string, at: At): void {
  const hasDefaults = item.type !== "Pod";
  const min = amount(item.min, name);
  const max = amount(item.max, name);
  const limit = hasDefaults ? amount(item.default, name) : undefined;
  const request = hasDefaults ? amount(item.defaultRequest, name) : undefined;
  const notAbove = (
    [low, lowText]: readonly [Amount | undefined, string],
    [high, highText]: readonly [Amount | undefined, string],
    [field, shown]: readonly [string, Amount | undefined],
  ): void => {
    if (exceeds(low, high))
      at.child(field)
        .key(name)
        .invalid(
          "",
          shown?.text,
          `${lowText} value ${low?.text} is greater than ${highText} value ${high?.text}`,
        );
  };
  notAbove([min, "min"], [max, "max"], ["min", min]);
  notAbove([min, "min"], [request, "default request"], ["defaultRequest", request]);
  notAbove([request, "default request"], [max, "max"], ["defaultRequest", request]);
  notAbove([request, "default request"], [limit, "default limit"], ["defaultRequest", request]);
  notAbove([min, "min"], [limit, "default"], ["default", min]);
  notAbove([limit, "default"], [max, "max"], ["default", max]);
  validateRatio(amount(item.maxLimitRequestRatio, name), at.child("maxLimitRequestRatio"), {
    name,
    min,
    max,
  });
  const differ = limit && request && compareQuantities(limit.quantity, request.quantity) !== 0;
  if (differ && !isOvercommitAllowed(name))
    at.child("defaultRequest")
      .key(name)
      .invalid(
        "",
        request.text,
        `default value ${limit.text} must equal to defaultRequest value ${request.text} in ${name}`,
      );
}

const one = parseQuantity("1");
/** Above this, thousandths no longer fit into 64 bits. */
const maxMilli = Number((2n ** 63n - 1n) / 1000n);

function validateRatio(
  ratio: Amount | undefined,
  at: At,
  {
    name,
    min,
    max,
  }: { readonly name: string; readonly min: Amount | undefined; readonly max: Amount | undefined },
): void {
  if (!ratio) return;
  const here = at.key(name);
  if (compareQuantities(ratio.quantity, one) < 0)
    here.invalid("", ratio.text, `ratio ${ratio.text} is less than 1`);
  if (!min || !max) return;
  const fine = [ratio, min, max].every(({ quantity }) => quantityValue(quantity) < maxMilli);
  const value = fine ? quantityMilliValue : quantityValue;
  const most = value(max.quantity) / value(min.quantity);
  const asked = fine ? value(ratio.quantity) / 1000 : value(ratio.quantity);
  if (asked > most)
    here.invalid(
      "",
      ratio.text,
      `ratio ${ratio.text} is greater than max/min = ${floatText(most)}`,
    );
}

/** A number as Go's `%f` writes it. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return value.toFixed(6);
}
