import { parseDuration } from "../../schema/values/duration.ts";
import { formatQuantity, parseQuantity, quantitySign } from "../../schema/values/quantity.ts";
import { isSignal, type Signal } from "./signal.ts";
import { isHard, type Threshold, type ThresholdValue } from "./threshold.ts";

/** The settings of eviction in a kubelet's configuration, by signal: `{ "memory.available": "100Mi" }`. */
export interface ThresholdSettings {
  readonly evictionHard?: Settings | undefined;
  readonly evictionSoft?: Settings | undefined;
  readonly evictionSoftGracePeriod?: Settings | undefined;
  readonly evictionMinimumReclaim?: Settings | undefined;
  /** With `pods` the limit of memory also holds for what all pods may use. */
  readonly enforceNodeAllocatable?: readonly string[] | undefined;
}

type Settings = Readonly<Record<string, string>>;

/** The thresholds of a configuration; throws with upstream's words if it is invalid. */
export function parseThresholds({
  evictionHard = {},
  evictionSoft = {},
  evictionSoftGracePeriod = {},
  evictionMinimumReclaim = {},
  enforceNodeAllocatable = [],
}: ThresholdSettings): readonly Threshold[] {
  const hard = parseEach(evictionHard, limitOf);
  const soft = parseEach(evictionSoft, limitOf);
  const graces = new Map(parseEach(evictionSoftGracePeriod, graceOf));
  const reclaims = new Map(parseEach(evictionMinimumReclaim, reclaimOf));
  const softThresholds = soft.map(([signal, value]): Threshold => {
    const graceMs = graces.get(signal);
    if (graceMs === undefined)
      throw new Error(`grace period must be specified for the soft eviction threshold ${signal}`);
    return { signal, value, graceMs, minReclaim: reclaims.get(signal) };
  });
  const thresholds = [
    ...hard.map(
      ([signal, value]): Threshold => ({
        signal,
        value,
        graceMs: 0,
        minReclaim: reclaims.get(signal),
      }),
    ),
    ...softThresholds,
  ];
  if (!enforceNodeAllocatable.includes("pods")) return thresholds;
  const ofMemory = thresholds.filter(
    (threshold) => threshold.signal === "memory.available" && isHard(threshold),
  );
  return [
    ...thresholds,
    ...ofMemory.map((one): Threshold => ({ ...one, signal: "allocatableMemory.available" })),
  ];
}

function parseEach<T>(
  settings: Settings,
  parse: (signal: Signal, text: string) => T | undefined,
): (readonly [Signal, T])[] {
  return Object.entries(settings).flatMap(([signal, text]) => {
    if (!isSignal(signal)) throw new Error(`unsupported eviction signal ${signal}`);
    const value = parse(signal, text);
    return value === undefined ? [] : [[signal, value] as const];
  });
}

/** A limit; undefined for percentages that turn it off. */
function limitOf(signal: Signal, text: string): ThresholdValue | undefined {
  if (text.endsWith("%")) {
    if (text === "0%" || text === "100%") return undefined;
    const fraction = fractionOf(text);
    if (fraction < 0)
      throw new Error(`eviction percentage threshold ${signal} must be >= 0%: ${text}`);
    if (fraction > 1)
      throw new Error(`eviction percentage threshold ${signal} must be <= 100%: ${text}`);
    return { fraction };
  }
  const quantity = parseQuantity(text);
  if (quantitySign(quantity) <= 0)
    throw new Error(`eviction threshold ${signal} must be positive: ${formatQuantity(quantity)}`);
  return { quantity };
}

function graceOf(_: Signal, text: string): number {
  const nanos = parseDuration(text);
  if (nanos < 0n)
    throw new Error(`invalid eviction grace period specified: ${text}, must be a positive value`);
  return Number(nanos) / 1e6;
}

function reclaimOf(signal: Signal, text: string): ThresholdValue {
  if (text.endsWith("%")) {
    const fraction = fractionOf(text);
    if (fraction <= 0)
      throw new Error(`eviction percentage minimum reclaim ${signal} must be positive: ${text}`);
    return { fraction };
  }
  const quantity = parseQuantity(text);
  if (quantitySign(quantity) < 0)
    throw new Error(`negative eviction minimum reclaim specified for ${signal}`);
  return { quantity };
}

/** With the precision of upstream, so that limits are the same to the byte. */
function fractionOf(text: string): number {
  const number = text.replace(/%+$/, "");
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(number))
    throw new SyntaxError(`strconv.ParseFloat: parsing "${number}": invalid syntax`);
  return Math.fround(Math.fround(Number(number)) / 100);
}
