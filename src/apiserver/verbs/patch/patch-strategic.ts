import { badRequest, StatusError } from "../../../api/meta/v1/status-error.ts";
import { type Decoded, DecodeError } from "../../../schema/json/decode.ts";
import { copyJson, isMap, type JsonMap, thawed } from "../../../schema/json/json-value.ts";
import { type JsonNode, jsonValue, setMember } from "../../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import { shapeOf } from "../../../schema/language/shape.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { repeatedMembers } from "../../../schema/patch/json-patch-strict.ts";
import { consumeStrategicMergePatch } from "../../../schema/strategic-merge/apply-strategic-merge-patch.ts";
import { fromUnstructured } from "../../../schema/strategic-merge/from-unstructured.ts";
import { StrategicMergeError } from "../../../schema/strategic-merge/strategic-merge-error.ts";
import { goString } from "../../../schema/values/go-print.ts";
import type { ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { Patch, PatchContext, PatchDocument } from "./patch.ts";
import { cannotApply, mindStrict, notAMap, wrongPatch } from "./patch-errors.ts";

/** Reads a strategic merge patch. */
export function strategicPatch(document: PatchDocument, context: PatchContext): Patch {
  const { kind } = context;
  const { struct } = kind;
  if (!struct) throw new TypeError(`${kind.kind} is not declared`);
  const { patch, faults } = readMap(document, context);
  return (object) => {
    const left = copyJson(patch);
    const patched = merged(object, left, struct);
    const shown = () => goString(left);
    const { changed, kept } = parted(patched, object);
    const { value, strict } = decoded(changed, shown, struct);
    mindStrict([...faults, ...strict], shown, context);
    return Object.assign(thawed(value) as ObjectDraft, kept, {
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
    });
  };
}

interface PatchMap {
  readonly patch: JsonMap;
  /** The errors of strict decoding, if the client requested it. */
  readonly faults: readonly string[];
}

function readMap({ parse, value }: PatchDocument, { fieldValidation }: PatchContext): PatchMap {
  // No member of a value is there twice.
  if (isMap(value)) return { patch: value as JsonMap, faults: [] };
  const node = parsed(parse);
  const problem = notAMap(node);
  if (problem !== undefined) throw badRequest(problem);
  const patch = (jsonValue(node) ?? {}) as JsonMap;
  return { patch, faults: fieldValidation === "Ignore" ? [] : repeatedMembers(node) };
}

interface Parts {
  /** The fields that must be decoded again. */
  readonly changed: Readonly<JsonMap>;
  /** The fields that the patch did not change, which need no decoding. */
  readonly kept: Readonly<JsonMap>;
}

/** Splits a patched object. Unchanged managedFields are left out: they are computed again from the object. */
function parted(patched: Readonly<JsonMap>, object: ApiObject): Parts {
  const changed: JsonMap = {};
  const kept: JsonMap = {};
  for (const [name, value] of Object.entries(patched)) {
    const isKept = (name === "spec" || name === "status") && isMap(value) && value === object[name];
    if (isKept) kept[name] = copyJson(value);
    else setMember(changed, name, value);
  }
  const { metadata } = patched;
  if (isMap(metadata) && metadata.managedFields === object.metadata.managedFields) {
    const { managedFields: _, ...others } = metadata;
    changed.metadata = others;
  }
  return { changed, kept };
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
