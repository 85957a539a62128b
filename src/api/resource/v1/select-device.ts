import { type Program, plan } from "../../../cel/evaluation/program.ts";
import { CelMap, type CelValue, typeNameOf } from "../../../cel/values/cel-value.ts";
import { CelQuantity, CelVersion } from "../../../cel/values/kubernetes-values.ts";
import { EntryMap } from "../../../cel/values/map.ts";
import { parseVersion } from "../../../cel/values/semantic-version.ts";
import { compileDeviceExpression, maxDeviceExpressionCost } from "./device-expression.ts";
import type { Device } from "./resource-slice-spec.ts";

/**
 * Whether an expression selects a device of a driver; throws if that cannot be known, so that a device
 * is never selected by mistake.
 */
export type DeviceSelector = (expression: string, device: Device, driver: string) => boolean;

/** Creates a selector that evaluates expressions in CEL. */
export function celDeviceSelector(): DeviceSelector {
  const programs = new Map<string, Program>();
  const values = new WeakMap<Device, CelMap>();
  const programOf = (text: string): Program => {
    let program = programs.get(text);
    if (program === undefined) {
      program = createProgram(text);
      if (programs.size >= mostExpressions) programs.clear();
      programs.set(text, program);
    }
    return program;
  };
  const variableOf = (device: Device, driver: string): CelMap => {
    let value = values.get(device);
    if (!value) {
      value = described("CEL runtime error", () => deviceValue(device, driver));
      values.set(device, value);
    }
    return value;
  };
  return (text, device, driver) => {
    const value = variableOf(device, driver);
    const evaluation = programOf(text).evaluate((name) => (name === "device" ? value : undefined), {
      costLimit: maxDeviceExpressionCost,
    });
    if ("error" in evaluation) throw new Error(`CEL runtime error: ${evaluation.error}`);
    const { value: result } = evaluation;
    if (typeof result === "boolean") return result;
    const type = typeNameOf(result);
    throw new Error(
      `CEL runtime error: CEL result of type ${type} could not be converted to bool: unsupported type conversion from '${type}' to bool`,
    );
  };
}

function described<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new Error(`${what}: ${(cause as Error).message}`, { cause });
  }
}

const mostExpressions = 100;
const nothing = new EntryMap();

function createProgram(text: string): Program {
  const result = compileDeviceExpression(text, { stored: true });
  if (!("compiled" in result))
    throw new Error(`CEL compile error: ${"invalid" in result ? result.invalid : result.internal}`);
  const program = plan(result.compiled);
  if ("error" in program) throw new Error(`CEL compile error: ${program.error}`);
  return program;
}

/** The variable `device`. */
function deviceValue(device: Device, driver: string): CelMap {
  const { allowMultipleAllocations = false, attributes = {}, capacity = {} } = device;
  return new EntryMap([
    ["driver", driver],
    ["allowMultipleAllocations", allowMultipleAllocations],
    ["attributes", byDomain(attributes, driver, attributeValue)],
    ["capacity", byDomain(capacity, driver, ({ value }) => CelQuantity.read(value))],
  ]);
}

/** A map in which each domain has a map, even if that is empty; but only some are in it. */
class DomainMap extends CelMap {
  readonly #entries: EntryMap;

  constructor(entries: EntryMap) {
    super();
    this.#entries = entries;
  }

  override get size(): number {
    return this.#entries.size;
  }

  override find(key: CelValue): CelValue {
    return this.#entries.find(key) ?? nothing;
  }

  override keys(): readonly CelValue[] {
    return this.#entries.keys();
  }

  override has(key: CelValue): boolean {
    return this.#entries.has(key);
  }
}

/** Groups qualified names by their domain, which is the driver if not given; every domain has a map. */
function byDomain<T>(
  named: Readonly<Record<string, T>>,
  driver: string,
  convert: (one: T, name: string) => CelValue,
): CelMap {
  const domains = new Map<string, [string, CelValue][]>();
  for (const [name, one] of Object.entries(named)) {
    const slash = name.indexOf("/");
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const members = domains.get(domain) ?? [];
    members.push([name.slice(slash + 1), convert(one, name)]);
    domains.set(domain, members);
  }
  const maps = Array.from(domains, ([domain, members]) => [domain, new EntryMap(members)] as const);
  return new DomainMap(new EntryMap(maps));
}

type Attribute = NonNullable<Device["attributes"]>[string];

/** Lists of values are behind a gate that is off in this version. */
function attributeValue({ int, bool, string, version }: Attribute, name: string): CelValue {
  const value = bool ?? string ?? (int === undefined ? undefined : BigInt(int));
  if (value !== undefined) return value;
  if (version === undefined) throw new Error(`attribute ${name}: unsupported attribute value`);
  const parsed = parseVersion(version);
  if (!parsed) throw new Error(`attribute ${name}: parse semantic version: ${version}`);
  return new CelVersion(parsed);
}
