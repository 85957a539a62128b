import { badRequest, StatusError } from "../api/meta/v1/status-error.ts";
import { type Decoded, DecodeError } from "../schema/decode.ts";
import { goString } from "../schema/go-print.ts";
import { repeatedMembers } from "../schema/json-patch-strict.ts";
import { copyJson, type JsonMap } from "../schema/json-value.ts";
import { apiVersionOf } from "../schema/kind.ts";
import { shapeOf } from "../schema/shape.ts";
import { consumeStrategicMergePatch } from "../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { fromUnstructured } from "../schema/strategic-merge/from-unstructured.ts";
import { StrategicMergeError } from "../schema/strategic-merge/strategic-merge-error.ts";
import { type JsonNode, jsonValue } from "../schema/strict-json.ts";
import type { Struct } from "../schema/struct.ts";
import type { ApiObject, ObjectDraft } from "./object.ts";
import type { Patch, PatchContext } from "./patch.ts";
import { cannotApply, mindStrict, notAMap, wrongPatch } from "./patch-errors.ts";

/** Reads a strategic merge patch. */
export function strategicPatch(parse: () => JsonNode, context: PatchContext): Patch {
  const { kind, fieldValidation } = context;
  const { struct } = kind;
  if (!struct) throw new TypeError(`${kind.kind} is not declared`);
  const node = parsed(parse);
  const problem = notAMap(node);
  if (problem !== undefined) throw badRequest(problem);
  const patch = (jsonValue(node) ?? {}) as JsonMap;
  const faults = fieldValidation === "Ignore" ? [] : repeatedMembers(node);
  return (object) => {
    const left = copyJson(patch);
    const patched = merged(object, left, struct);
    const shown = () => goString(left);
    const { value, strict } = decoded(patched, shown, struct);
    mindStrict([...faults, ...strict], shown, context);
    return Object.assign(copyJson(value) as ObjectDraft, {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
    });
  };
}

function parsed(parse: () => JsonNode): JsonNode {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

function merged(object: ApiObject, patch: JsonMap, struct: Struct): Readonly<JsonMap> {
  try {
    return consumeStrategicMergePatch(shapeOf(struct), object as unknown as JsonMap, patch);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    if (error.blame === "format") throw badRequest(error.message);
    if (error.blame === "content") throw cannotApply(error);
    throw new StatusError("", error.message, { cause: error });
  }
}

function decoded(patched: Readonly<JsonMap>, shown: () => string, struct: Struct): Decoded {
  try {
    return fromUnstructured(struct, patched);
  } catch (error) {
    if (error instanceof DecodeError) throw wrongPatch(shown(), error.message);
    throw error;
  }
}
