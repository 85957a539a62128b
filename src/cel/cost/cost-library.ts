import { type CelType, dynType } from "../checking/cel-type.ts";
import type { Expr } from "../syntax/ast.ts";
import { add, type Estimate, fixed, multiply, times, uncountable } from "./estimate.ts";

/** An operand of a call, as far as its size matters. */
export interface CostNode {
  /** Where its value comes from, `self`, `items`, `@items`, if that is known. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expr?: Expr;
  readonly size: Estimate | undefined;
}

/** What a call costs, and how large what comes of it is. */
export interface CallEstimate {
  readonly cost: Estimate;
  readonly size?: Estimate;
}

/** A call whose cost is asked for, and how to estimate the size of what it is given. */
export interface CostedCall {
  readonly function: string;
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  sizeOf(node: CostNode): Estimate;
}

/** Reading a character of a string costs this; one of a regular expression that. */
export const perCharacter = 0.1;
export const perRegexpCharacter = 0.25;
export const listCost = 10;
export const structCost = 40;

/** The cost of a call of a function of a library; `undefined` if it costs what any call does. */
export function estimateLibraryCall(call: CostedCall): CallEstimate | undefined {
  return estimators[call.function]?.(call) ?? undefined;
}

type Estimator = (call: CostedCall) => CallEstimate | undefined;

const once: Estimator = () => ({ cost: fixed(1) });

/** Reads the first argument, a string, so many times. */
const readsArgument =
  (factor = 1): Estimator =>
  ({ args: [first], sizeOf }) =>
    first && { cost: times(sizeOf(first), factor * perCharacter) };

const keepsArgumentSize: Estimator = ({ args: [first], sizeOf }) =>
  first && { cost: times(sizeOf(first), perCharacter), size: sizeOf(first) };

const keepsTargetSize: Estimator = ({ target, sizeOf }) =>
  target && { cost: times(sizeOf(target), perCharacter), size: sizeOf(target) };

/** Parsing a selector, and making a requirement of every second character. */
const selector: Estimator = ({ args: [text], sizeOf }) => {
  if (text === undefined) return undefined;
  const length = sizeOf(text);
  const requirements = times(times(length, 0.5), listCost + structCost);
  return { cost: add(fixed(listCost), times(length, perCharacter), requirements) };
};

/** Looks at each element of a list, or at each character of a string. */
const traversal: Estimator = ({ target, sizeOf }) => {
  if (target === undefined) return undefined;
  const element = elementOf(target);
  if (element === undefined) return { cost: times(sizeOf(target), perCharacter) };
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  const each = isText ? add(fixed(1), times(sizeOf(element), perCharacter)) : fixed(1);
  return { cost: multiply(sizeOf(target), each) };
};

const regexp: Estimator = ({ target, args: [pattern], sizeOf }) => {
  if (target === undefined || pattern === undefined) return undefined;
  const text = times(add(sizeOf(target), fixed(1)), perCharacter);
  const size = { min: 0, max: sizeOf(target).max };
  return { cost: multiply(text, times(sizeOf(pattern), perRegexpCharacter)), size };
};

const replace: Estimator = ({ target, args: [old, replacement], sizeOf }) => {
  if (target === undefined || old === undefined || replacement === undefined) return undefined;
  const text = sizeOf(target);
  const [from, to] = [sizeOf(old), sizeOf(replacement)];
  let [most, retainedMost] = [Math.ceil(text.max / from.min), 0];
  if (from.min === 0) [most, retainedMost] = [Math.min(text.max + 1, uncountable), text.max];
  else if (to.max <= from.min) [most, retainedMost] = [0, text.max];
  let [least, retainedLeast] = [Math.ceil(text.min / from.max), 0];
  if (from.max === 0) [least, retainedLeast] = [Math.min(text.min + 1, uncountable), text.min];
  else if (from.max <= to.min) [least, retainedLeast] = [0, text.min];
  const retained = { min: retainedLeast, max: retainedMost };
  const size = add(multiply({ min: least, max: most }, to), retained);
  return { cost: times(text, 2 * perCharacter), size };
};

const split: Estimator = ({ target, args: [, limit], sizeOf }) => {
  if (target === undefined) return undefined;
  const text = sizeOf(target);
  const given = limit?.expr?.kind === "literal" ? limit.expr.value : undefined;
  const count = given?.type === "int" ? Number(BigInt.asUintN(64, given.value)) : text.max;
  return { cost: times(text, 2 * perCharacter), size: { min: 0, max: count } };
};

const joining: Estimator = ({ target, args: [separator], sizeOf }) => {
  if (target === undefined) return undefined;
  const list = sizeOf(target);
  const element = elementOf(target);
  let size = element === undefined ? fixed(0) : multiply(list, sizeOf(element));
  if (separator !== undefined) {
    const separators = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
    size = add(size, multiply(sizeOf(separator), separators));
  }
  return { cost: times(size, perCharacter), size };
};

/** Addresses have 4 to 16 bytes; one that is given as a string must be read. */
const containment =
  (more: Estimate): Estimator =>
  ({ overload, args: [first], sizeOf }) => {
    if (first === undefined) return undefined;
    const compared = add(times({ min: 8, max: 32 }, perCharacter), more);
    const isText = overload.endsWith("_string");
    return { cost: isText ? add(compared, times(sizeOf(first), perCharacter)) : compared };
  };

const ip: Estimator = (call) =>
  call.overload === "cidr_ip" ? { cost: fixed(1) } : readsArgument()(call);

const formatValidation: Estimator = ({ args: [text], sizeOf }) =>
  text && { cost: times(times(sizeOf(text), perCharacter), 128 * perRegexpCharacter) };

/** Values that are compared in one step, and those of which every character is. */
const equality: Estimator = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined) return undefined;
  const { name, kind } = left.type;
  if (name !== right.type.name) return undefined;
  if (kind === "opaque" && (name === "net.IP" || name === "net.CIDR")) return { cost: fixed(1) };
  if (kind !== "struct") return undefined;
  if (comparedAtOnce.has(name)) return { cost: fixed(1) };
  if (name === "kubernetes.NamedFormat") return { cost: times({ min: 1, max: 64 }, perCharacter) };
  if (name !== "kubernetes.URL") return undefined;
  return { cost: times({ min: 1, max: right.size?.max ?? 1 }, perCharacter) };
};

const comparedAtOnce: ReadonlySet<string> = new Set([
  "kubernetes.Quantity",
  "kubernetes.Semver",
  ...["Authorizer", "PathCheck", "GroupCheck", "ResourceCheck", "Decision"].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);

const newList = (size: Estimate, factor: number): CallEstimate => ({
  cost: add(times(size, factor), fixed(1), fixed(listCost)),
  size,
});

const slice: Estimator = ({ target, args: [start, end], sizeOf }) => {
  if (target === undefined || start === undefined || end === undefined) return undefined;
  const length = wholeNumber(end, sizeOf(target).max) - wholeNumber(start, 0);
  return newList(fixed(length < 0 ? uncountable + length : length), 1);
};

const sort: Estimator = (call) => {
  const keys = call.function === "sort" ? call.target : call.args[0];
  if (keys === undefined) return undefined;
  const isText = /^list_(string|bytes)_/.test(call.overload);
  const size = call.sizeOf(keys);
  return newList(multiply(size, size), isText ? 2 + perCharacter : 2);
};

const distinct: Estimator = ({ target, sizeOf }) =>
  target && newList(multiply(sizeOf(target), sizeOf(target)), 2);

const setComparison =
  (factor: number): Estimator =>
  ({ args: [left, right], sizeOf }) =>
    left && right && { cost: add(times(multiply(sizeOf(left), sizeOf(right)), factor), fixed(1)) };

function each(names: string, estimator: Estimator): Record<string, Estimator> {
  return Object.fromEntries(names.split(" ").map((name) => [name, estimator]));
}

const estimators: Readonly<Record<string, Estimator>> = {
  check: () => ({ cost: fixed(350_000) }),
  ...each("serviceAccount path group resource subresource namespace name allowed reason", once),
  ...each("error errored masked prefixLength family isUnspecified isLoopback", once),
  ...each("isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast format.named", once),
  ...each("sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan", once),
  ...each("compareTo add sub major minor patch", once),
  ...each("getScheme getHostname getHost getPort getEscapedPath getQuery", once),
  ...each("fieldSelector labelSelector", selector),
  ...each("isSorted sum max min indexOf lastIndexOf", traversal),
  ...each("url jsonpatch.escapeKey", keepsArgumentSize),
  ...each("lowerAscii upperAscii substring trim", keepsTargetSize),
  replace,
  split,
  join: joining,
  ...each("find findAll", regexp),
  ...each("cidr isIP isCIDR quantity isQuantity semver isSemver", readsArgument()),
  ip,
  "ip.isCanonical": readsArgument(2),
  containsIP: containment(fixed(0)),
  containsCIDR: containment(add(times({ min: 4, max: 16 }, perCharacter), fixed(1))),
  validate: formatValidation,
  "_==_": equality,
  slice,
  flatten: ({ target, args: [depth], sizeOf }) =>
    target && newList(sizeOf(target), depth === undefined ? 1 : wholeNumber(depth, uncountable)),
  "lists.range": ({ args: [count] }) => count && newList(fixed(wholeNumber(count, uncountable)), 1),
  reverse: ({ target, sizeOf }) => target && newList(sizeOf(target), 1),
  distinct,
  sort,
  "@sortByAssociatedKeys": sort,
  "sets.contains": setComparison(1),
  "sets.intersects": setComparison(1),
  "sets.equivalent": setComparison(2),
};

/** The value of a whole number that stands in the text; negative ones count as none. */
function wholeNumber({ expr }: CostNode, otherwise: number): number {
  if (expr?.kind !== "literal" || expr.value.type !== "int") return otherwise;
  return Math.max(Number(expr.value.value), 0);
}

/** The elements of a list, which stand where it does. */
function elementOf(list: CostNode): CostNode | undefined {
  const [type] = list.type.parameters;
  if (type === undefined) return undefined;
  const path = list.path.length === 0 ? [] : [...list.path, "@items"];
  return { path, type: type ?? dynType, size: undefined };
}
