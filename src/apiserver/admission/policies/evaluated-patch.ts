import { internalError } from "../../../api/meta/v1/status-error.ts";
import { CelList, CelObject, type CelValue } from "../../../cel/values/cel-value.ts";
import { elementsOf } from "../../../cel/values/list.ts";
import { NativeError } from "../../../cel/values/native-value.ts";
import { toJson } from "../../../cel/values/to-json.ts";
import { DecodeError } from "../../../schema/json/decode.ts";
import {
  applyJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
  JsonPatchTestError,
} from "../../../schema/patch/json-patch.ts";
import type { ApiObject } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { ConversionError, completedObject, decodeDocument } from "../mutating/decode-document.ts";
import { nameProblems, type Target } from "./apply-configuration.ts";
import { MutationFault } from "./mutation-fault.ts";

/**
 * The object after a list of `JSONPatch` operations; itself if one of them is a test that does not hold. Throws
 * MutationFault where the patch is at fault, StatusError where the patched object is.
 */
export function applyEvaluatedPatch(
  { object, kind }: Target,
  value: CelValue,
  resources: Resources,
): ApiObject {
  const operations = value instanceof CelList ? elementsOf(value).map(operationIn) : [];
  let patched: unknown;
  try {
    patched = applyJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof JsonPatchTestError) return object;
    if (!(error instanceof JsonPatchError)) throw error;
    throw new MutationFault(`JSON Patch: ${error.message}`);
  }
  if (!kind) return patched as ApiObject;
  try {
    const decoded = decodeDocument(kind, patched, resources);
    // Of custom resources, fields that are not known are dropped.
    if (kind.struct && decoded.strict.length > 0)
      throw new DecodeError(`strict decoding error: ${decoded.strict.join(", ")}`);
    return completedObject(kind, decoded.value as ApiObject);
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error);
    if (!(error instanceof ConversionError)) throw error;
    throw internalError(new Error(`failed to convert object: ${error.message}`));
  }
}

function operationIn(value: CelValue): JsonPatchOperation {
  const { fields } = value as CelObject;
  const from = fields.get("from") ?? "";
  const operand = fields.get("value");
  return {
    op: fields.get("op") ?? "",
    path: fields.get("path") ?? "",
    ...(from !== "" && { from }),
    ...(operand !== undefined && { value: operandOf(operand) }),
  };
}

function operandOf(value: CelValue): unknown {
  if (value instanceof CelObject) {
    const problems = nameProblems(value, value.typeName);
    if (problems.length > 0) throw new MutationFault(`type mismatch: ${problems.join("\n")}`);
  }
  try {
    return toJson(value);
  } catch (error) {
    if (!(error instanceof NativeError)) throw error;
    const what = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new MutationFault(`${what}: ${error.message}`);
  }
}
