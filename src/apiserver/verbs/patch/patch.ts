import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { jsonNode } from "../../../schema/json/plain-json.ts";
import { type JsonNode, maxKeptDepth, parseJson } from "../../../schema/json/strict-json.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { requestValue } from "../../request/body.ts";
import type { WriteOptions } from "../../request/query.ts";
import type { ApiRequest } from "../../request/request.ts";
import { jsonPatch, mergePatch } from "./patch-json.ts";
import { strategicPatch } from "./patch-strategic.ts";

/** Applies a patch to an object. */
export type Patch = (object: ApiObject) => ObjectDraft;

const strategic = "application/strategic-merge-patch+json";
/** In the order in which an error lists them. */
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  strategic,
  "application/apply-patch+yaml",
] as const;
export type PatchType = (typeof patchTypes)[number];

const isPatchType = (name: string): name is PatchType =>
  (patchTypes as readonly string[]).includes(name);

/**
 * The kind of patch that a request's body is; throws if it is unknown. A header that
 * names several is let in by upstream's router, but not by its handler.
 */
export function patchType({ headers }: ApiRequest, { struct }: AnyKind): PatchType {
  const header = headers["content-type"] ?? "";
  if (!struct) return schemaPatchType(withoutParameters(header));
  if (!header.split(",").some((part) => isPatchType(withoutParameters(part).trim())))
    throw new StatusError("UnsupportedMediaType", "415: Unsupported Media Type", { details: {} });
  const name = withoutParameters(header);
  if (isPatchType(name)) return name;
  throw unknownFormat(patchTypes);
}

/** Custom kinds have no router before their handler, and no declaration for strategic merge patches. */
function schemaPatchType(name: string): PatchType {
  if (isPatchType(name) && name !== strategic) return name;
  throw unknownFormat(patchTypes.filter((type) => type !== strategic));
}

const unknownFormat = (accepted: readonly string[]): StatusError =>
  new StatusError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

const withoutParameters = (type: string): string => type.split(";")[0] ?? "";

export interface PatchContext {
  readonly type: Exclude<PatchType, "application/apply-patch+yaml">;
  readonly kind: AnyKind;
  readonly resources: Resources;
  readonly fieldValidation: WriteOptions["fieldValidation"];
  readonly warnings: string[];
}

/** The patch in a request's body; it is read when it is first applied, as an object must be there first. */
export function readPatch(
  request: Pick<ApiRequest, "body" | "value">,
  context: PatchContext,
): Patch {
  let patch: Patch | undefined;
  return (object) => {
    patch ??= read(documentIn(request), context);
    return patch(object);
  };
}

/** The body of a patch request. */
export interface PatchDocument {
  /** Throws a SyntaxError if it is not JSON. */
  parse(): JsonNode;
  /** The value, if the request carries a value instead of text. */
  readonly value?: unknown;
}

function documentIn({ body, value }: Pick<ApiRequest, "body" | "value">): PatchDocument {
  if (value !== undefined) {
    const plain = requestValue(value);
    return { parse: () => jsonNode(plain), value: plain };
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
  return { parse: () => parseJson(text, maxKeptDepth) };
}

function read(document: PatchDocument, context: PatchContext): Patch {
  switch (context.type) {
    case "application/json-patch+json":
      return jsonPatch(document.parse, context);
    case "application/merge-patch+json":
      return mergePatch(document.parse, context);
    default:
      return strategicPatch(document, context);
  }
}
