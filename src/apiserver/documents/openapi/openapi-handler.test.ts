import { expect, test } from "vitest";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import type { AnyKind } from "../../objects/object.ts";
import { Resources } from "../../objects/resources.ts";
import type { ApiRequest } from "../../request/request.ts";
import { OpenApi } from "./openapi-documents.ts";
import { serveOpenApi } from "./openapi-handler.ts";

const now = Date.UTC(2026, 1, 3, 4, 5, 6, 700);
const openApi = new OpenApi({
  resources: new Resources([ConfigMap] as readonly AnyKind[]),
  hash: (text) => `h${text.length}`,
  version: "v1.36.0",
  hasOpenIdMetadata: true,
  now: () => now,
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
    now + 60_000,
  );
  return answer && { status: answer.status, headers: answer.headers };
}

const ofV2 = openApi.v2().etag;
const json = "application/json";
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
const modified = { "last-modified": "Tue, 03 Feb 2026 04:05:06 GMT" };
const uncached = { "cache-control": "no-cache, private" };
const vary = { vary: "Accept" };
const v2 = { etag: `"${ofV2}"`, ...vary, ...uncached };
const v3 = { etag: `"${etag}"`, ...vary, ...uncached };

const cases: [what: string, answer: unknown, expected: unknown][] = [
  [
    "a path without a document",
    get("/openapi/v3/apis/none/v1"),
    { status: 404, headers: uncached, body: undefined },
  ],
  ["a path that ends in a slash", get("/openapi/v2/"), undefined],
  ["a path of somebody else", get("/api/v1"), undefined],
  [
    "OpenAPI 2 as JSON by default",
    get("/openapi/v2"),
    { status: 200, headers: { "content-type": json, ...v2, ...modified } },
  ],
  [
    "OpenAPI 2 as protobuf under its older name",
    get("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" }),
    { status: 200, headers: { "content-type": protobuf, ...v2, ...modified } },
  ],
  [
    "an unsupported media type",
    get("/openapi/v2", { accept: "text/html" }),
    { status: 406, headers: { ...vary, ...uncached } },
  ],
  [
    "the index of OpenAPI 3 was modified at the time of the request",
    get("/openapi/v3"),
    {
      status: 200,
      headers: {
        "content-type": "text/plain; charset=utf-8",
        "last-modified": "Tue, 03 Feb 2026 04:06:06 GMT",
        ...uncached,
      },
    },
  ],
  [
    "OpenAPI 3 of a group",
    get("/openapi/v3/api/v1", { accept: "application/json, */*" }),
    { status: 200, headers: { "content-type": json, ...v3, ...modified } },
  ],
  [
    "the client's etag matches the document",
    get("/openapi/v3/api/v1", { "if-none-match": `"other", W/"${etag}"` }),
    { status: 304, headers: v3 },
  ],
  [
    "the document was not modified since",
    get("/openapi/v3/api/v1", { "if-modified-since": modified["last-modified"] }),
    { status: 304, headers: v3 },
  ],
  [
    "an etag overrides a time",
    get("/openapi/v3/api/v1", {
      "if-none-match": '"other"',
      "if-modified-since": modified["last-modified"],
    }),
    { status: 200, headers: { "content-type": json, ...v3, ...modified } },
  ],
  [
    "a matching hash: the response can be cached for a year",
    get("/openapi/v3/api/v1", {}, `hash=${etag}`),
    {
      status: 200,
      headers: {
        "content-type": json,
        ...v3,
        ...modified,
        "cache-control": "public, immutable",
        expires: "Wed, 03 Feb 2027 04:06:06 UTC",
      },
    },
  ],
  [
    "an outdated hash redirects to the current one",
    get("/openapi/v3/api/v1", {}, "hash=old"),
    {
      status: 301,
      headers: { "content-type": json, ...v3, location: `/openapi/v3/api/v1?hash=${etag}` },
    },
  ],
];
test.each(cases)("serveOpenApi: %s", (_, answer, expected) => {
  expect(answer).toEqual(expected);
});
