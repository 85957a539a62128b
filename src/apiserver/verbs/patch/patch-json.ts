import { badRequest, StatusError } from "../../../api/meta/v1/status-error.ts";
import { type JsonNode, jsonValue } from "../../../schema/json/strict-json.ts";
import {
  applyJsonPatch,
  decodeJsonPatch,
  JsonPatchError,
  maxJsonPatchOperations,
} from "../../../schema/patch/json-patch.ts";
import { jsonPatchFaults, repeatedMembers } from "../../../schema/patch/json-patch-strict.ts";
import { applyMergePatch } from "../../../schema/patch/merge-patch.ts";
import type { Patch, PatchContext } from "./patch.ts";
import { cannotApply, notAMap } from "./patch-errors.ts";
import { decodePatched } from "./patched.ts";

/** Reads a JSON patch. */
export function jsonPatch(parse: () => JsonNode, context: PatchContext): Patch {
  const isStrict = context.fieldValidation !== "Ignore";
  const node = isStrict ? decoding(parse) : reading(parse);
  const read = () => decodeJsonPatch(jsonValue(node), { strict: isStrict });
  const operations = isStrict ? decoding(read) : reading(read);
  const faults = isStrict ? jsonPatchFaults(node) : [];
  if (operations.length > maxJsonPatchOperations)
    throw new StatusError(
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  return (object) => {
    try {
      const patched = applyJsonPatch(object, operations);
      return decodePatched(patched, { object, patch: operations, faults }, context);
    } catch (error) {
      throw error instanceof JsonPatchError ? cannotApply(error) : error;
    }
  };
}

/** Reads a JSON merge patch. */
export function mergePatch(parse: () => JsonNode, context: PatchContext): Patch {
  const isStrict = context.fieldValidation !== "Ignore";
  const node = isStrict ? decoding(parse) : unlessBroken(parse);
  const problem = isStrict ? notAMap(node) : undefined;
  if (problem !== undefined) throw badRequest(`error decoding patch: ${problem}`);
  const patch = jsonValue(node);
  const faults = isStrict ? repeatedMembers(node) : [];
  return (object) => {
    const patched = unlessBroken(() => applyMergePatch(object, patch));
    return decodePatched(patched, { object, patch, faults }, context);
  };
}

/** Upstream's errors for a patch that is decoded strictly have a prefix and the reason. */
const decoding = <T>(read: () => T): T => reading(read, (why) => `error decoding patch: ${why}`);

/** Upstream's error for a merge patch that is decoded leniently has no reason. */
const unlessBroken = <T>(read: () => T): T => reading(read, () => "Invalid JSON Patch");

function reading<T>(read: () => T, message = (why: string) => why): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(message(error.message));
    throw error;
  }
}
