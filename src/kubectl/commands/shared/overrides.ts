import { stringFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { jsonValue, parseJson, stringifyJson } from "../../../schema/json/strict-json.ts";
import { applyJsonPatch, decodeJsonPatch } from "../../../schema/patch/json-patch.ts";
import { applyMergePatch } from "../../../schema/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { typedObject, typedShape } from "../../resource/typed-object.ts";

/** The flags by which a generated object can be changed before it is created. */
export const overrideFlags = {
  overrides: stringFlag({
    usage:
      "An inline JSON override for the generated object, which must have a valid apiVersion after it.",
  }),
  "override-type": stringFlag({
    default: "merge",
    usage: "The method used to override the generated object: json, merge, or strategic.",
  }),
};

interface OverrideValues {
  readonly overrides: string;
  readonly "override-type": string;
}

/** A generated object as the flags change it, read again as Go's type. */
export async function overridden(
  object: DynamicObject,
  flags: OverrideValues,
): Promise<DynamicObject> {
  if (flags.overrides === "") return object;
  const changed = await patched(object, flags);
  return typedObject(checkedObject(changed));
}

async function patched(
  object: DynamicObject,
  { overrides, ...flags }: OverrideValues,
): Promise<unknown> {
  switch (flags["override-type"] || "merge") {
    case "json":
      return applyJsonPatch(object, decodeJsonPatch(jsonValue(parseJson(overrides))));
    case "merge":
      return applyMergePatch(object, parsed(overrides, "Invalid JSON Patch"));
    case "strategic": {
      const patch = parsed(overrides, "invalid JSON document");
      if (patch !== null && !isMap(patch)) throw new Error("invalid JSON document");
      return applyStrategicMergePatch(await typedShape(object), object, patch ?? {});
    }
    default:
      throw new Error(`invalid override type: ${flags["override-type"]}`);
  }
}

function parsed(text: string, problem: string): unknown {
  try {
    return jsonValue(parseJson(text));
  } catch (cause) {
    throw new Error(problem, { cause });
  }
}

/** Checks what Go reads first of any object. */
function checkedObject(value: unknown): DynamicObject {
  if (!isMap(value)) {
    const type = Array.isArray(value)
      ? "array"
      : typeof value === "boolean"
        ? "bool"
        : typeof value;
    throw new Error(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go value of type ${String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`}`,
    );
  }
  const { kind, apiVersion }: ReadonlyJsonMap = value;
  for (const [name, member] of [
    ["Kind", kind],
    ["apiVersion", apiVersion],
  ])
    if (member === undefined || member === "")
      throw new Error(`Object '${String(name)}' is missing in '${stringifyJson(value)}'`);
  return value as unknown as DynamicObject;
}
