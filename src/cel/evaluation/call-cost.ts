import { hasSum } from "../functions/operators.ts";
import { CelList, CelMap, CelOpaque, type CelValue, typeNameOf } from "../values/cel-value.ts";
import { goTypeOf } from "../values/go-type.ts";
import { NamedFormat } from "../values/named-format.ts";
import { Panic } from "../values/panic.ts";
import { costSize } from "../values/size.ts";

/** What a call costs: always the same, or by the sizes of what it is given and what comes of it. */
export type CallCost = number | ((args: readonly CelValue[], result: CelValue) => number);

/** Reading a character of a string costs this; one of a regular expression that. */
const perCharacter = 0.1;
const perRegexpCharacter = 0.25;
const listCost = 10;
const structCost = 40;

/** What a call of a function costs; without an overload, it is known only when it runs. */
export function callCost(name: string, overload: string): CallCost {
  return byOverload[overload] ?? byFunction(name, overload) ?? byStandard[overload] ?? 1;
}

function byFunction(name: string, overload: string): CallCost | undefined {
  const found = functions[name];
  return typeof found === "object" ? found.of(overload) : found;
}

type Sized = (...sizes: number[]) => number;

/** A cost that depends on the sizes of the arguments. */
const sized =
  (cost: Sized): CallCost =>
  (args) =>
    cost(...args.map(plainSize));

/** Unlike for operators, what is in an optional does not count for it. */
function plainSize(value: CelValue): number {
  return typeNameOf(value) === "optional_type" ? 1 : costSize(value);
}

const reads = (size: number, factor = 1): number => Math.ceil(size * factor * perCharacter);

const matching: Sized = (text = 1, pattern = 1) =>
  reads(1 + text) * Math.ceil(pattern * perRegexpCharacter);

const newList = (size: number, factor = 1): number => Math.trunc(size * factor) + 1 + listCost;

const selector: Sized = (_, length = 1) =>
  listCost + reads(length) + Math.ceil(Math.ceil(length * 0.5) * (listCost + structCost));

const compared = (list: CelValue | undefined): number => {
  if (!(list instanceof CelList)) throw notAList(list);
  const { size } = list;
  if (size === 0) return newList(0);
  const type = typeNameOf(list.at(0));
  return newList(size * size, type === "string" || type === "bytes" ? 2 + perCharacter : 2);
};

/** Upstream stops with this where it counts the cost of a call with an argument that is no list. */
function notAList(value: CelValue = null): Panic {
  const missing = hasSum(value) ? "Contains" : "Add";
  return new Panic(
    `interface conversion: ${goTypeOf(value)} is not traits.Lister: missing method ${missing}`,
  );
}

const flattened: CallCost = ([list = null, depth]) => {
  if (depth !== undefined && typeof depth !== "bigint") {
    throw new Panic(`interface conversion: ref.Val is ${goTypeOf(depth)}, not types.Int`);
  }
  return newList(plainSize(list), depth === undefined ? 1 : Number(depth));
};

const setComparison = (factor: number): CallCost =>
  sized((a = 1, b = 1) => 1 + Math.trunc(a * b * factor));

const comparable = [
  ...["int", "uint", "double", "bool", "string", "bytes"],
  ...["google.protobuf.Duration", "google.protobuf.Timestamp"],
];

const resultSize: CallCost = (_, result) => newList(plainSize(result));

const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: resultSize,
  lists_range: resultSize,
  list_reverse: resultSize,
  list_flatten: flattened,
  list_flatten_int: flattened,
  list_distinct: ([list]) => compared(list),
  ...Object.fromEntries(
    comparable.flatMap((type): [string, CallCost][] => [
      [`list_${type}_sort`, ([list]) => compared(list)],
      [`list_${type}_sortByAssociatedKeys`, ([, keys]) => compared(keys)],
    ]),
  ),
  list_sets_contains_list: setComparison(1),
  list_sets_intersects_list: setComparison(1),
  list_sets_equivalent_list: setComparison(2),
};

interface ByOverload {
  of(overload: string): CallCost;
}

function each(names: string, cost: CallCost | ByOverload): Record<string, CallCost | ByOverload> {
  return Object.fromEntries(names.split(" ").map((name) => [name, cost]));
}

const traversal: CallCost = ([value = null]) => traversed(value);

const containment = (more: (cidr: number) => number): ByOverload => ({
  of: (overload) =>
    sized(
      (cidr = 1, other = 1) =>
        reads(cidr + cidr) + more(cidr) + (overload.endsWith("_string") ? reads(other) : 0),
    ),
});

const equality: CallCost = (args) =>
  args[0] instanceof CelOpaque ? 1 : Math.ceil(leastSize(args) * perCharacter);

const leastSize = ([a = null, b = null]: readonly CelValue[]): number =>
  Math.min(costSize(a), costSize(b));

const functions: Readonly<Record<string, CallCost | ByOverload>> = {
  check: 350_000,
  ...each("serviceAccount path group resource subresource namespace name allowed reason", 1),
  ...each("error errored masked prefixLength family isUnspecified isLoopback", 1),
  ...each("isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named", 1),
  ...each("sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan", 1),
  ...each("compareTo add sub major minor patch", 1),
  ...each("getScheme getHostname getHost getPort getEscapedPath getQuery", 1),
  ...each("fieldSelector labelSelector", sized(selector)),
  ...each("isSorted sum max min indexOf lastIndexOf", traversal),
  ...each(
    "url lowerAscii upperAscii substring trim jsonpatch.escapeKey cidr isIP isCIDR",
    sized((text = 1) => reads(text)),
  ),
  ...each(
    "quantity isQuantity semver isSemver",
    sized((text = 1) => reads(text)),
  ),
  ...each(
    "replace split ip.isCanonical",
    sized((text = 1) => reads(text, 2)),
  ),
  join: (_, result) => reads(plainSize(result), 2),
  ...each("find findAll", sized(matching)),
  ip: { of: (overload) => (overload === "cidr_ip" ? 1 : sized((text = 1) => reads(text))) },
  containsIP: containment(() => 0),
  containsCIDR: containment((cidr) => reads(cidr) + 1),
  validate: ([format, text = null]) =>
    format instanceof NamedFormat
      ? reads(1 + plainSize(text)) * Math.ceil(format.maxRegexpSize * perRegexpCharacter)
      : 1,
  "_==_": equality,
};

const readsFirst: CallCost = ([first = null]) => reads(costSize(first));
const readsShorter: CallCost = (args) => reads(leastSize(args));
const readsBoth: CallCost = ([a = null, b = null]) => reads(costSize(a) + costSize(b));

/** The functions of the language itself. */
const byStandard: Readonly<Record<string, CallCost>> = {
  ...Object.fromEntries(
    "starts_with_string ends_with_string string_to_bytes bytes_to_string strings_quote string_format"
      .split(" ")
      .map((overload) => [overload, readsFirst]),
  ),
  in_list: ([, list = null]) => costSize(list),
  ...Object.fromEntries(
    ["less", "less_equals", "greater", "greater_equals"].flatMap((operator) =>
      ["string", "bytes"].map((type) => [`${operator}_${type}`, readsShorter]),
    ),
  ),
  equals: readsShorter,
  not_equals: readsShorter,
  add_string: readsBoth,
  add_bytes: readsBoth,
  matches_string: ([text = null, pattern = null]) => matching(costSize(text), costSize(pattern)),
  contains_string: ([text = null, part = null]) => reads(costSize(text)) * reads(costSize(part)),
};

/** What it costs to look at all that is in a value. */
function traversed(value: CelValue): number {
  if (typeof value === "string") return Math.trunc(byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.trunc(value.length * perCharacter);
  if (value instanceof CelList) {
    let cost = 0;
    for (let i = 0; i < value.size; i++) cost += traversed(value.at(i));
    return cost;
  }
  if (!(value instanceof CelMap)) return 1;
  return value
    .keys()
    .reduce<number>((cost, key) => cost + traversed(key) + traversed(value.find(key) ?? null), 0);
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;
