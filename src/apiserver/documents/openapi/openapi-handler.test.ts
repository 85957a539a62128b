import { expect, test } from "vitest";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import type { AnyKind } from "../../objects/object.ts";
import { Resources } from "../../objects/resources.ts";
import type { ApiRequest } from "../../request/request.ts";
import { OpenApi } from "./openapi.ts";
import { serveOpenApi } from "./openapi-handler.ts";

const openApi = new OpenApi({
  resources: new Resources([ConfigMap] as readonly AnyKind[]),
  hash: (text) => `h${text.length}`,
  version: "v1.36.0",
});
const etag = openApi.v3("api/v1")?.etag ?? "";

function get(path: string, headers: ApiRequest["headers"] = {}, query = "") {
  const answer = serveOpenApi(
    {
      method: "GET",
      path,
      query,
      headers,
      body: undefined,
      peer: undefined,
      remoteAddress: "",
      signal: new AbortController().signal,
    },
    openApi,
  );
  return answer && { status: answer.status, headers: answer.headers };
}

const ofV2 = openApi.v2().etag;
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const v3 = { etag: `"${etag}"`, vary: "Accept" };

test.each([
  [
    "a path that is no document",
    get("/openapi/v3/apis/none/v1"),
    { status: 404, headers: {}, body: undefined },
  ],
  ["a path that ends in a slash", get("/openapi/v2/"), undefined],
  ["a path of somebody else", get("/api/v1"), undefined],
  [
    "OpenAPI 2 as JSON unless asked otherwise",
    get("/openapi/v2"),
    {
      status: 200,
      headers: { "content-type": "application/json", etag: `"${ofV2}"`, vary: "Accept" },
    },
  ],
  [
    "OpenAPI 2 as protobuf under its older name",
    get("/openapi/v2", {
      accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
    }),
    { status: 200, headers: { "content-type": protobuf, etag: `"${ofV2}"`, vary: "Accept" } },
  ],
  [
    "a media type that there is not",
    get("/openapi/v2", { accept: "text/html" }),
    { status: 406, headers: { vary: "Accept" } },
  ],
  [
    "OpenAPI 3 of a group",
    get("/openapi/v3/api/v1", { accept: "application/json, */*" }),
    { status: 200, headers: { "content-type": "application/json", ...v3 } },
  ],
  [
    "what the client has already",
    get("/openapi/v3/api/v1", { "if-none-match": `"${etag}"` }),
    { status: 304, headers: v3 },
  ],
  [
    "a hash that fits: it may be kept for a year",
    get("/openapi/v3/api/v1", {}, `hash=${etag}`),
    {
      status: 200,
      headers: {
        "content-type": "application/json",
        "cache-control": "public, immutable, max-age=31536000",
        ...v3,
      },
    },
  ],
  [
    "a hash of another version leads to the present one",
    get("/openapi/v3/api/v1", {}, "hash=old"),
    {
      status: 301,
      headers: { location: `/openapi/v3/api/v1?hash=${etag}`, vary: "Accept" },
    },
  ],
])("serveOpenApi: %s", (_, answer, expected) => {
  expect(answer).toEqual(expected);
});
