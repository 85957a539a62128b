import { matches, parseAccept } from "../../request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../../request/request.ts";
import type { OpenApi, OpenApiDocument } from "./openapi-documents.ts";

/** Serves the OpenAPI documents; undefined for other paths. `now` is in milliseconds. */
export function serveOpenApi(
  request: ApiRequest,
  openApi: OpenApi,
  now: number,
): ApiResponse | undefined {
  const { path } = request;
  if (path === "/openapi/v2") return serveV2(request, openApi);
  if (path === "/openapi/v3") return serveIndex(request, openApi.v3Index(), now);
  if (path.startsWith("/openapi/v3/"))
    return serveV3(request, openApi, { name: path.slice("/openapi/v3/".length), now });
  return undefined;
}

const json = "application/json";
const protobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const protobufV2Older = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function serveV2(request: ApiRequest, openApi: OpenApi): ApiResponse {
  const type = accepted(request, [json, protobufV2Older, protobufV2]);
  if (type === undefined) return notAcceptable;
  return type === json
    ? send(request, openApi.v2(), { "content-type": json, ...varyByAccept })
    : send(request, openApi.v2Protobuf(), { "content-type": protobufV2, ...varyByAccept });
}

/**
 * The index as upstream's aggregator sends it: merged for each request, so that it has no etag and its
 * modification time is now, and without a media type, so that clients treat it as text.
 */
const serveIndex = (request: ApiRequest, { body }: OpenApiDocument, now: number): ApiResponse =>
  send(request, { body, lastModified: now }, { "content-type": "text/plain; charset=utf-8" });

function serveV3(
  request: ApiRequest,
  openApi: OpenApi,
  { name, now }: { readonly name: string; readonly now: number },
): ApiResponse {
  const document = openApi.v3(name);
  if (!document) return { status: 404, headers: uncached, body: undefined };
  if (accepted(request, [json]) === undefined) return notAcceptable;
  const headers = { "content-type": json, ...varyByAccept };
  const hash = new URLSearchParams(request.query).get("hash") ?? "";
  if (hash === "") return send(request, document, headers);
  if (hash !== document.etag) {
    const location = `/openapi/v3/${name}?hash=${document.etag}`;
    return {
      status: 301,
      headers: { ...uncached, ...headers, etag: `"${document.etag}"`, location },
      body: undefined,
    };
  }
  // The document that a hash names never changes.
  const cached = { "cache-control": "public, immutable", expires: inAYear(now) };
  return send(request, document, { ...headers, ...cached });
}

type Headers = Readonly<Record<string, string>>;

const varyByAccept = { vary: "Accept" };
const uncached = { "cache-control": "no-cache, private" };
const notAcceptable: ApiResponse = {
  status: 406,
  headers: { ...uncached, ...varyByAccept },
  body: undefined,
};

function accepted({ headers }: ApiRequest, offered: readonly string[]): string | undefined {
  const { accept = "" } = headers;
  for (const { type } of parseAccept(accept === "" ? "*/*" : accept)) {
    const found = offered.find((one) => matches(type, one));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Sends a document unless the client has it already, by the rules of Go's `http.ServeContent`. */
function send(
  request: ApiRequest,
  { body, etag, lastModified }: Omit<OpenApiDocument, "etag"> & { readonly etag?: string },
  more: Headers,
): ApiResponse {
  const tag: Headers = etag === undefined ? {} : { etag: `"${etag}"` };
  const modified = { "last-modified": httpDate(lastModified) };
  const headers: Headers = { ...uncached, ...more, ...tag };
  if (!isKnown(request, tag.etag, lastModified))
    return { status: 200, headers: { ...headers, ...modified }, body };
  const { "content-type": _, ...kept } = headers;
  return {
    status: 304,
    headers: etag === undefined ? { ...kept, ...modified } : kept,
    body: undefined,
  };
}

/** Whether the client has the document; the time counts only for clients that send no etag. */
function isKnown({ headers }: ApiRequest, etag: string | undefined, lastModified: number): boolean {
  const tags = headers["if-none-match"] ?? "";
  if (tags !== "")
    return tags.split(",").some((one) => {
      const tag = one.trim();
      return tag === "*" || tag.replace(/^W\//, "") === etag;
    });
  const since = Date.parse(headers["if-modified-since"] ?? "");
  return Math.floor(lastModified / 1000) * 1000 <= since;
}

const httpDate = (time: number): string => new Date(time).toUTCString();

/** A year from now. Upstream names the time zone UTC, where HTTP says GMT. */
function inAYear(now: number): string {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toUTCString().replace("GMT", "UTC");
}
