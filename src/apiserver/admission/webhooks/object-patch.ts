import type { AdmissionResponse } from "../../../api/admission/v1/admission-review.ts";
import { internalError, StatusError } from "../../../api/meta/v1/status-error.ts";
import { decodeBase64 } from "../../../base/base64.ts";
import { DecodeError } from "../../../schema/json/decode.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../../schema/json/strict-json.ts";
import {
  applyJsonPatch,
  decodeJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
} from "../../../schema/patch/json-patch.ts";
import { quote } from "../../../schema/values/quote.ts";
import { type ApiObject, canonical } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { objectKindOf, type SeenRequest } from "../matching/seen-request.ts";
import { ConversionError, completedObject, decodeDocument } from "../mutating/decode-document.ts";
import { denial } from "./denial.ts";
import { WebhookFailure } from "./webhook-failure.ts";

/** The patch of a webhook. */
export interface ObjectPatch {
  readonly text: string;
  readonly operations: readonly JsonPatchOperation[];
}

/** The patch in a response; undefined if it changes nothing. */
export function patchIn(response: AdmissionResponse, webhook: string): ObjectPatch | undefined {
  const { patch: encoded = "", patchType, status } = response;
  if (encoded === "") return undefined;
  const patch = decoded(encoded);
  if (patch.operations.length === 0 || patchType === "JSONPatch") return patch;
  const { code } = denial(webhook, status);
  throw new WebhookFailure(`unsupported patch type ${quote(patchType ?? "")}`, { code });
}

function decoded(encoded: string): ObjectPatch {
  const text = new TextDecoder().decode(decodeBase64(encoded));
  try {
    return { text, operations: decodeJsonPatch(jsonValue(parseJson(text))) };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const message = `received undecodable patch in webhook response: ${cause.message}`;
    throw new WebhookFailure(message, { code: 503, cause });
  }
}

/** A request after a patch, and whether that changed anything beside defaults. */
export interface Patched {
  readonly request: SeenRequest;
  readonly isChanged: boolean;
}

/** Applies the patch of a webhook. Throws a StatusError, whatever the failurePolicy is. */
export function patchObject(
  request: SeenRequest,
  { operations }: ObjectPatch,
  { webhook, resources }: { readonly webhook: string; readonly resources: Resources },
): Patched {
  const { object } = request;
  const objectKind = objectKindOf(request);
  if (!object)
    throw internalError(
      new Error(
        `admission webhook ${quote(webhook)} attempted to modify the object, which is not supported for this operation`,
      ),
    );
  const patched = inInternalError(() => applyJsonPatch(object, operations));
  if (!objectKind)
    return {
      request: { ...request, object: patched as ApiObject },
      isChanged: !sameJson(object, patched),
    };
  const draft = inInternalError(
    () => decodeDocument(objectKind, patched, resources).value as ApiObject,
  );
  // What a schema does not know counts as a change, although it is removed.
  const after = objectKind.struct ? canonical(objectKind, draft) : patched;
  return {
    request: { ...request, object: completedObject(objectKind, draft) },
    isChanged: !sameJson(object, after),
  };
}

function inInternalError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof ConversionError) throw new StatusError("", error.message);
    const isExpected = error instanceof JsonPatchError || error instanceof DecodeError;
    throw isExpected ? internalError(error) : error;
  }
}
