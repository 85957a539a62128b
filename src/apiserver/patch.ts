import { badRequest, invalid, StatusError } from "../api/meta/v1/status-error.ts";
import { DecodeError, decodeJson } from "../schema/decode.ts";
import {
  applyJsonPatch,
  decodeJsonPatch,
  JsonPatchError,
  maxJsonPatchOperations,
} from "../schema/json-patch.ts";
import { applyMergePatch } from "../schema/merge-patch.ts";
import { At } from "../schema/report.ts";
import { jsonValue, maxKeptDepth, parseJson, stringifyJson } from "../schema/strict-json.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "./object.ts";
import type { WriteOptions } from "./query.ts";
import type { ApiRequest } from "./request.ts";

/** Changes an object as a patch says. */
export type Patch = (object: ApiObject) => ObjectDraft;

const patchTypes = ["application/json-patch+json", "application/merge-patch+json"] as const;
export type PatchType = (typeof patchTypes)[number];

/** The kind of patch that a request's body is; throws where there is none that we know. */
export function patchType({ headers }: ApiRequest): PatchType {
  const name = (headers["content-type"]?.split(";")[0] ?? "").trim().toLowerCase();
  const type = patchTypes.find((known) => known === name);
  if (type === undefined)
    throw new StatusError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  return type;
}

export interface PatchContext {
  readonly type: PatchType;
  readonly kind: AnyKind;
  readonly fieldValidation: WriteOptions["fieldValidation"];
  readonly warnings: string[];
}

/** Reads the patch in a request's body. */
export function readPatch({ body }: ApiRequest, context: PatchContext): Patch {
  const text = new TextDecoder().decode(body ?? new Uint8Array());
  const apply =
    context.type === "application/json-patch+json"
      ? jsonPatch(text, context.fieldValidation !== "Ignore")
      : mergePatch(text);
  return (object) => decodePatched(apply(object), context);
}

function jsonPatch(text: string, strict: boolean): (object: ApiObject) => unknown {
  const operations = decoding(() =>
    decodeJsonPatch(jsonValue(parseJson(text, maxKeptDepth)), { strict }),
  );
  if (operations.length > maxJsonPatchOperations)
    throw new StatusError(
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${operations.length}`,
    );
  return (object) => {
    try {
      return applyJsonPatch(object, operations);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      const message = "the server rejected our request due to an error in our request";
      throw new StatusError("Invalid", message, { details: {}, cause: error });
    }
  };
}

function mergePatch(text: string): (object: ApiObject) => unknown {
  const patch = decoding(() => jsonValue(parseJson(text, maxKeptDepth)));
  if (typeof patch !== "object" || Array.isArray(patch)) {
    const kind = Array.isArray(patch)
      ? "array"
      : typeof patch === "boolean"
        ? "bool"
        : typeof patch;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    );
  }
  return (object) => applyMergePatch(object, patch ?? {});
}

function decoding<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

/** The patched object, read as strictly as the client asked for. */
function decodePatched(
  patched: unknown,
  { kind, fieldValidation, warnings }: PatchContext,
): ObjectDraft {
  const text = stringifyJson(patched);
  try {
    const { value, strict } = decodeJson(kind.struct, text);
    if (strict.length > 0 && fieldValidation === "Strict")
      throw wrong(text, `strict decoding error: ${strict.join(", ")}`);
    if (fieldValidation === "Warn") warnings.push(...strict);
    return value as ObjectDraft;
  } catch (error) {
    if (error instanceof DecodeError) throw wrong(text, error.message);
    throw error;
  }
}

function wrong(text: string, why: string): StatusError {
  const at = At.root();
  at.invalid("patch", text, why);
  return invalid({ group: "", resource: "", name: "" }, at.errors);
}
