import type { CheckedExpression } from "../../../cel/checking/check-expression.ts";
import {
  CelMap,
  CelQuantity,
  type CelValue,
  CelVersion,
  typeName,
  UnsupportedError,
} from "../../../cel/evaluation/cel-value.ts";
import { evaluate } from "../../../cel/evaluation/evaluate.ts";
import { parseVersion } from "../../../cel/evaluation/semantic-version.ts";
import { parseQuantity } from "../../../schema/values/quantity.ts";
import { compileDeviceExpression } from "./device-expression.ts";
import type { Device } from "./resource-slice-spec.ts";

/**
 * Whether an expression selects a device of a driver; throws if that cannot be known, so that a device
 * is never selected by mistake.
 */
export type DeviceSelector = (expression: string, device: Device, driver: string) => boolean;

/** An expression uses a part of the language that is not evaluated: nobody knows what it selects. */
export class UnknownSelectionError extends Error {
  override readonly name = "UnknownSelectionError";
}

/** Creates a selector that evaluates expressions in CEL. */
export function celDeviceSelector(): DeviceSelector {
  const compiled = new Map<string, CheckedExpression>();
  const values = new WeakMap<Device, CelMap>();
  const expressionOf = (text: string): CheckedExpression => {
    const known = compiled.get(text);
    if (known) return known;
    const result = compileDeviceExpression(text, { stored: true });
    if (!("compiled" in result))
      throw new Error(
        `CEL compile error: ${"invalid" in result ? result.invalid : result.internal}`,
      );
    if (compiled.size >= mostExpressions) compiled.clear();
    compiled.set(text, result.compiled);
    return result.compiled;
  };
  const variableOf = (device: Device, driver: string): CelMap => {
    let value = values.get(device);
    if (!value) {
      value = deviceValue(device, driver);
      values.set(device, value);
    }
    return value;
  };
  return (text, device, driver) => {
    const expression = expressionOf(text);
    let result: CelValue;
    try {
      result = evaluate(expression, { device: variableOf(device, driver) });
    } catch (cause) {
      const message = `CEL runtime error: ${(cause as Error).message}`;
      throw cause instanceof UnsupportedError
        ? new UnknownSelectionError(message, { cause })
        : new Error(message, { cause });
    }
    if (typeof result === "boolean") return result;
    throw new Error(
      `CEL runtime error: CEL result of type ${typeName(result)} could not be converted to bool: unsupported type conversion from '${typeName(result)}' to bool`,
    );
  };
}

const mostExpressions = 100;
const nothing = new CelMap([]);

/** The variable `device`. */
function deviceValue(device: Device, driver: string): CelMap {
  const { allowMultipleAllocations = false, attributes = {}, capacity = {} } = device;
  return new CelMap([
    ["driver", driver],
    ["allowMultipleAllocations", allowMultipleAllocations],
    ["attributes", byDomain(attributes, driver, attributeValue)],
    ["capacity", byDomain(capacity, driver, ({ value }) => new CelQuantity(parseQuantity(value)))],
  ]);
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
  const maps = Array.from(domains, ([domain, members]) => [domain, new CelMap(members)] as const);
  return new CelMap(maps, nothing);
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
