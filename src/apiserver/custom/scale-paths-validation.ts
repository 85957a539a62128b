import { isMap } from "../../schema/json/json-value.ts";
import type { At } from "../../schema/language/report.ts";
import { goString, goType } from "../../schema/values/go-print.ts";

const maxInt32 = 2 ** 31 - 1;

/** The paths of a Scale in a definition; specReplicasPath may be missing. */
export interface ScaleFields {
  readonly specReplicasPath: string | undefined;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** The rules of what a Scale shows of an object. */
export function validateScalePaths(object: unknown, scale: ScaleFields, at: At): void {
  if (scale.specReplicasPath !== undefined) validateNumber(object, scale.specReplicasPath, at);
  validateNumber(object, scale.statusReplicasPath, at);
  const { labelSelectorPath: path } = scale;
  if (!path) return;
  const found = lookUp(object, namesIn(path));
  const fault = found.fault ?? wrongType(path, found.value, "string");
  if (fault !== undefined) at.invalid(path, "", fault);
}

function validateNumber(object: unknown, path: string, at: At): void {
  const { value, fault } = lookUp(object, namesIn(path));
  const problem = fault ?? wrongType(path, value, "int64");
  if (problem !== undefined) {
    at.invalid(path, 0, problem);
    return;
  }
  const number = (value as number | undefined) ?? 0;
  if (number < 0) at.invalid(path, number, "should be a non-negative integer");
  else if (number > maxInt32)
    at.invalid(path, number, `should be less than or equal to ${maxInt32}`);
}

const namesIn = (path: string): readonly string[] => path.replace(/^\./, "").split(".");

/** The value at a path; undefined where there is none, an error where the path crosses a non-object. */
export function lookUp(
  object: unknown,
  names: readonly string[],
): { readonly value?: unknown; readonly fault?: string } {
  let value = object;
  for (const [i, name] of names.entries()) {
    if (value === null) return {};
    if (!isMap(value)) {
      const where = `.${names.slice(0, i + 1).join(".")}`;
      return {
        fault: `${where} accessor error: ${goString(value)} is of the type ${goType(value)}, expected map[string]interface{}`,
      };
    }
    if (!Object.hasOwn(value, name)) return {};
    value = value[name];
  }
  return { value };
}

/** The error about the type of a value at a path; undefined for a missing or a valid value. */
export function wrongType(
  path: string,
  value: unknown,
  type: "int64" | "string",
): string | undefined {
  if (value === undefined || goType(value) === type) return undefined;
  const where = `.${namesIn(path).join(".")}`;
  return `${where} accessor error: ${goString(value)} is of the type ${goType(value)}, expected ${type}`;
}
