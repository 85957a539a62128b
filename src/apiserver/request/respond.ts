import {
  PartialObjectMetadata,
  PartialObjectMetadataList,
} from "../../api/meta/v1/partial-object-metadata.ts";
import { Status } from "../../api/meta/v1/status.ts";
import { StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import { encodeJson } from "../../schema/json/json.ts";
import { plainJson } from "../../schema/json/plain-json.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import type { ObjectForm } from "../../schema/language/object-form.ts";
import type { Struct } from "../../schema/language/struct.ts";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { toYaml } from "../../schema/yaml/yaml.ts";
import { type AnyKind, type ApiObject, freeze } from "../objects/object.ts";
import { Stored } from "../objects/stored.ts";
import type { ListPage } from "../verbs/list.ts";
import { type Negotiated, notAcceptable } from "./negotiation.ts";
import type { ApiResponse, DescribedBody } from "./request.ts";
import { type IncludeObject, partial, tableOf } from "./table.ts";
import { warningHeaders } from "./warning-headers.ts";

/** What a response with an object or a list depends on. */
export interface AnswerContext {
  readonly accept: Negotiated;
  readonly now: number;
  readonly includeObject: IncludeObject;
  readonly warnings: readonly string[];
}

export interface ObjectAnswer extends AnswerContext {
  readonly status: number;
  /** Whether this is likely the only response with this revision, as that to its writer: its encoding is not kept. */
  readonly once?: boolean;
}

/** An object in the negotiated form. */
export function objectResponse(
  kind: AnyKind,
  result: Stored | ApiObject,
  context: ObjectAnswer,
): ApiResponse {
  const { accept, status, once } = context;
  if (accept.as === "" && accept.isValue) {
    if (!(result instanceof Stored)) return valueResponse(status, copyOf(result), context);
    // Objects that expire, such as events, are hardly ever read again.
    const isLast = once && kind.strategy.expires;
    return valueResponse(status, isLast ? result.takeObject() : result.object, context);
  }
  if (accept.as === "" && accept.mediaType === "application/json" && result instanceof Stored) {
    const body = once ? result.takeJson() : result.jsonLine;
    return { status, headers: headersOf(context), body, described: bodyIsObject };
  }
  const object = result instanceof Stored ? result.object : result;
  if (accept.as === "PartialObjectMetadataList")
    throw new StatusError(
      "NotAcceptable",
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${internalName(kind)})`,
    );
  if (accept.as === "Table") {
    const metadata = pick(object.metadata, "resourceVersion");
    return answer(status, tableOf(kind, [object], { ...tableOptions(context), metadata }), context);
  }
  if (accept.as === "PartialObjectMetadata") {
    const value = partial(object, accept.asVersion, kind);
    if (accept.isValue) return valueResponse(status, freeze(value), context);
    return answer(status, value, { ...context, struct: PartialObjectMetadata });
  }
  return answer(status, object, { ...context, form: kind.form, struct: kind.struct });
}

/** A list in the negotiated form. */
export function listResponse(kind: AnyKind, page: ListPage, context: AnswerContext): ApiResponse {
  const { accept } = context;
  const { objects, metadata } = page;
  if (accept.as === "PartialObjectMetadata")
    throw new StatusError(
      "NotAcceptable",
      `you requested PartialObjectMetadata, but the requested object is a list (*${internalName(kind)}List)`,
    );
  if (accept.as === "Table") {
    const all = objects.map(({ object }) => object);
    return answer(200, tableOf(kind, all, { ...tableOptions(context), metadata }), context);
  }
  if (accept.as === "PartialObjectMetadataList") {
    const items = objects.map(({ object }) => partial(object, accept.asVersion, kind));
    const value = {
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${accept.asVersion}`,
      metadata,
      // As Go writes a list that nothing was put in.
      items: items.length > 0 || accept.isValue ? items : null,
    };
    if (accept.isValue) return valueResponse(200, freeze(value), context);
    return answer(200, value, { ...context, struct: PartialObjectMetadataList });
  }
  if (accept.isValue) return valueResponse(200, listValue(kind, page), context);
  if (accept.mediaType === "application/json")
    return {
      status: 200,
      headers: headersOf(context),
      body: listJson(kind, page),
      described: bodyIsObject,
    };
  if (!kind.list) return answer(200, JSON.parse(listText(kind, page)) as object, context);
  const list = {
    kind: `${kind.kind}List`,
    apiVersion: apiVersionOf(kind),
    metadata,
    items: objects.map(({ object: { kind: _, apiVersion: __, ...item } }) => item),
  };
  return answer(200, list, { ...context, struct: kind.list });
}

const decoder = new TextDecoder();
const listText = (kind: AnyKind, page: ListPage): string =>
  listJson(kind, page)
    .map((chunk) => (typeof chunk === "string" ? chunk : decoder.decode(chunk)))
    .join("");

/** Joins the encoded objects: each is encoded once for all responses. */
function listJson(kind: AnyKind, { objects, metadata }: ListPage): (Uint8Array | string)[] {
  const [before, after] = kind.form.listFrame(metadata);
  const chunks: (Uint8Array | string)[] = [before];
  for (const [i, stored] of objects.entries()) chunks.push(i === 0 ? "{" : ",{", stored.jsonTail);
  chunks.push(after);
  return chunks;
}

/** The list as a value that shares its objects with the cache. */
function listValue(kind: AnyKind, { objects, metadata }: ListPage): object {
  const head = kind.list
    ? { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata }
    : (JSON.parse(kind.form.listFrame(metadata).join("")) as { readonly metadata: object });
  const items = objects.map(({ object }) => (kind.isStored ? object : freeze(object)));
  Object.freeze(head.metadata);
  return Object.freeze({ ...head, items: Object.freeze(items) });
}

/** A response as a value instead of JSON. */
const valueResponse = (
  status: number,
  value: object,
  context: Pick<AnswerContext, "accept" | "warnings">,
): ApiResponse => ({
  status,
  headers: headersOf(context),
  body: undefined,
  value,
  described: { status: statusIn(value), json: () => stringifyJson(value) },
});

/** The body of a response is the JSON of its object. */
const bodyIsObject: DescribedBody = {};

/** What a Status says of the outcome; undefined for other objects. */
function statusIn(value: object): DescribedBody["status"] {
  if ((value as TypeMeta).kind !== "Status") return undefined;
  const { status, message, reason, details } = value as Status;
  return { status, message, reason, details };
}

interface TypeMeta {
  readonly kind?: string;
}

/** A copy, as decoding its JSON would make it: the server may still change the original. */
const copyOf = (value: object): object => freeze(plainJson(value) as object);

/** A response with any value that has a kind; without a struct, as for tables, protobuf is not possible. */
export function answer(
  status: number,
  value: object,
  context: Pick<AnswerContext, "accept" | "warnings"> & {
    readonly form?: ObjectForm;
    readonly struct?: Struct | undefined;
  },
): ApiResponse {
  const { accept, form, struct } = context;
  if (accept.isValue) return valueResponse(status, copyOf(value), context);
  const headers = headersOf(context);
  const json = () =>
    struct ? encodeJson(struct, value) : (form?.encode(value) ?? stringifyJson(value));
  if (accept.mediaType === "application/json") {
    const described = { status: statusIn(value) };
    return { status, headers, body: `${json()}\n`, described };
  }
  const described = { status: statusIn(value), json };
  if (accept.mediaType === "application/yaml")
    return { status, headers, body: toYaml(value), described };
  if (!struct) throw notAcceptable();
  const { apiVersion, kind } = value as { readonly apiVersion: string; readonly kind: string };
  const raw = encodeProtobuf(struct, value);
  return { status, headers, body: envelope({ apiVersion, kind, raw }), described };
}

/** An error as a Status; JSON where the client accepts no known form. */
export function errorResponse(
  error: StatusError,
  accept: Negotiated | undefined,
  warnings: readonly string[] = [],
): ApiResponse {
  const mediaType = accept?.mediaType ?? "application/json";
  const retry = error.details?.retryAfterSeconds;
  const status = statusOf(error);
  const headers = {
    "content-type": mediaType,
    ...cacheHeaders,
    ...warningHeaders(warnings),
    ...(retry !== undefined && { "retry-after": String(retry) }),
  };
  const described = { status: statusIn(status), json: () => JSON.stringify(status) };
  const respond = (body: ApiResponse["body"]): ApiResponse => ({
    status: error.code,
    headers,
    body,
    described,
  });
  if (accept?.isValue) return { ...respond(undefined), value: copyOf(status) };
  if (mediaType === "application/yaml") return respond(toYaml(status));
  if (mediaType === "application/json") return respond(`${JSON.stringify(status)}\n`);
  const raw = encodeProtobuf(Status, status);
  return respond(envelope({ apiVersion: "v1", kind: "Status", raw }));
}

/** Plain text, for health checks and unknown paths. */
export const textResponse = (status: number, text: string): ApiResponse => ({
  status,
  headers: {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    ...cacheHeaders,
  },
  body: text,
});

const cacheHeaders = { "cache-control": "no-cache, private" };

const headersOf = ({ accept, warnings }: Pick<AnswerContext, "accept" | "warnings">) => ({
  "content-type": accept.mediaType,
  ...cacheHeaders,
  ...warningHeaders(warnings),
});

const tableOptions = ({ accept, now, includeObject }: AnswerContext) => ({
  now,
  includeObject,
  version: accept.asVersion,
  headers: true,
});

const internalName = ({ group, kind }: AnyKind): string =>
  `${group === "" ? "core" : (group.split(".")[0] ?? "")}.${kind}`;

function pick<T extends object, K extends keyof T>(value: T, key: K): Partial<Pick<T, K>> {
  return value[key] === undefined ? {} : ({ [key]: value[key] } as Partial<Pick<T, K>>);
}
