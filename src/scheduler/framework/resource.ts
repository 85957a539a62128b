import {
  isExtendedResource,
  isHugePageResource,
  isNativeResource,
} from "../../api/core/v1/resource-name.ts";
import { parseQuantity, roundUpQuantity } from "../../schema/values/quantity.ts";

/** Resource amounts as numbers: CPU in thousandths, the rest in whole units. */
export class Resource {
  milliCpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  allowedPods = 0;
  /** Extended resources, huge pages and so on; undefined if there are none. */
  scalars: Map<string, number> | undefined = undefined;

  clone(): Resource {
    const copy = new Resource();
    copy.milliCpu = this.milliCpu;
    copy.memory = this.memory;
    copy.ephemeralStorage = this.ephemeralStorage;
    copy.allowedPods = this.allowedPods;
    if (this.scalars) copy.scalars = new Map(this.scalars);
    return copy;
  }

  /** Adds or subtracts another resource. */
  add(other: Resource, sign: 1 | -1): void {
    this.milliCpu += sign * other.milliCpu;
    this.memory += sign * other.memory;
    this.ephemeralStorage += sign * other.ephemeralStorage;
    if (!other.scalars) return;
    this.scalars ??= new Map();
    for (const [name, amount] of other.scalars)
      this.scalars.set(name, (this.scalars.get(name) ?? 0) + sign * amount);
  }

  equals(other: Resource): boolean {
    const [mine, theirs] = [this.scalars ?? noScalars, other.scalars ?? noScalars];
    return (
      this.milliCpu === other.milliCpu &&
      this.memory === other.memory &&
      this.ephemeralStorage === other.ephemeralStorage &&
      this.allowedPods === other.allowedPods &&
      mine.size === theirs.size &&
      [...mine].every(([name, amount]) => theirs.get(name) === amount)
    );
  }

  /** The amount of a resource by name. */
  of(name: string): number {
    if (name === "cpu") return this.milliCpu;
    if (name === "memory") return this.memory;
    if (name === "ephemeral-storage") return this.ephemeralStorage;
    return this.scalars?.get(name) ?? 0;
  }
}

const noScalars: ReadonlyMap<string, number> = new Map();

/** Amounts in thousandths by resource name: their sums are exact, those of rounded amounts are not. */
export type MilliAmounts = Map<string, number>;

type Amounts = Readonly<Record<string, string | number>>;

/** Converts a ResourceList to numbers. */
export function resourceOf(list: Amounts | undefined): Resource {
  const amounts: MilliAmounts = new Map();
  for (const name in list) amounts.set(name, milliOf(list[name] ?? "0"));
  return resourceFrom(amounts);
}

/** Rounds amounts in thousandths up to the unit of each resource. */
export function resourceFrom(amounts: MilliAmounts): Resource {
  const resource = new Resource();
  for (const [name, milli] of amounts) {
    if (name === "cpu") resource.milliCpu = safe(milli);
    else if (name === "memory") resource.memory = wholeOf(milli);
    else if (name === "ephemeral-storage") resource.ephemeralStorage = wholeOf(milli);
    else if (name === "pods") resource.allowedPods = wholeOf(milli);
    else if (isScalarResource(name)) {
      resource.scalars ??= new Map();
      resource.scalars.set(name, wholeOf(milli));
    }
  }
  return resource;
}

/** Rounds thousandths up to a whole number. */
export const wholeOf = (milli: number): number => safe(Math.ceil(milli / 1000));

/** Converts a quantity to thousandths. */
export function milliOf(quantity: string | number): number {
  const text = `${quantity}`;
  let milli = known.get(text);
  if (milli === undefined) {
    const { mantissa, scale } = roundUpQuantity(parseQuantity(text), -3);
    milli = Number(mantissa) * 10 ** (scale + 3);
    // A cluster has few distinct quantities: the cache rarely fills up.
    if (known.size >= maxKnown) known.clear();
    known.set(text, milli);
  }
  return milli;
}

const known = new Map<string, number>();
const maxKnown = 4096;

/** Amounts beyond the safe integers are clamped: no node has more. */
const safe = (amount: number): number => Math.min(amount, Number.MAX_SAFE_INTEGER);

/** Whether nodes count a resource by its name: extended resources, huge pages, attachable volumes. */
export function isScalarResource(name: string): boolean {
  let answer = scalarNames.get(name);
  if (answer === undefined) {
    answer =
      isExtendedResource(name) ||
      isHugePageResource(name) ||
      (isNativeResource(name) && name.includes("kubernetes.io/")) ||
      name.startsWith("attachable-volumes-");
    if (scalarNames.size >= maxKnown) scalarNames.clear();
    scalarNames.set(name, answer);
  }
  return answer;
}

const scalarNames = new Map<string, boolean>();
