import { matches, parseAccept } from "../../request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../../request/request.ts";
import type { OpenApi, OpenApiDocument } from "./openapi.ts";

/** Serves the OpenAPI documents; undefined where the path is none of theirs. */
export function serveOpenApi(request: ApiRequest, openApi: OpenApi): ApiResponse | undefined {
  const { path } = request;
  if (path === "/openapi/v2") return serveV2(request, openApi);
  // Upstream says nothing of the form of its index, so that it counts as text.
  if (path === "/openapi/v3") return send(request, openApi.v3Index(), "text/plain; charset=utf-8");
  if (path.startsWith("/openapi/v3/"))
    return serveV3(request, openApi, path.slice("/openapi/v3/".length));
  return undefined;
}

const json = "application/json";
const protobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const protobufV2Older = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

function serveV2(request: ApiRequest, openApi: OpenApi): ApiResponse {
  const type = accepted(request, [json, protobufV2Older, protobufV2]);
  if (type === undefined) return notAcceptable;
  return type === json
    ? send(request, openApi.v2(), json, varyByAccept)
    : send(request, openApi.v2Protobuf(), protobufV2, varyByAccept);
}

function serveV3(request: ApiRequest, openApi: OpenApi, name: string): ApiResponse {
  const document = openApi.v3(name);
  if (!document) return { status: 404, headers: {}, body: undefined };
  if (accepted(request, [json]) === undefined) return notAcceptable;
  const hash = new URLSearchParams(request.query).get("hash") ?? "";
  if (hash === "") return send(request, document, json, varyByAccept);
  if (hash !== document.etag)
    return {
      status: 301,
      headers: { location: `/openapi/v3/${name}?hash=${document.etag}`, ...varyByAccept },
      body: undefined,
    };
  // What a hash names never changes.
  const forAYear = { "cache-control": "public, immutable, max-age=31536000" };
  return send(request, document, json, { ...varyByAccept, ...forAYear });
}

type Headers = Readonly<Record<string, string>>;

const varyByAccept = { vary: "Accept" };
const notAcceptable: ApiResponse = { status: 406, headers: varyByAccept, body: undefined };

function accepted({ headers }: ApiRequest, offered: readonly string[]): string | undefined {
  const { accept = "" } = headers;
  for (const { type } of parseAccept(accept === "" ? "*/*" : accept)) {
    const found = offered.find((one) => matches(type, one));
    if (found !== undefined) return found;
  }
  return undefined;
}

function send(
  request: ApiRequest,
  { body, etag }: OpenApiDocument,
  type: string,
  more: Headers = {},
): ApiResponse {
  const headers = { etag: `"${etag}"`, ...more };
  const known = request.headers["if-none-match"] ?? "";
  if (known.split(",").some((one) => one.trim().replace(/^W\//, "") === headers.etag))
    return { status: 304, headers, body: undefined };
  return { status: 200, headers: { "content-type": type, ...headers }, body };
}
