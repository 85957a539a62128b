import { configMaps } from "./malformed.test-support.ts";

/** Bytes that are sent as HTTP/1.1, and what comes of them: as in other tables, up to an ellipsis. */
export type RawRow = readonly [
  title: string,
  wanted: string,
  parts: readonly (string | Uint8Array)[],
  options?: { readonly answers?: number; readonly hangUp?: boolean },
];

const host = "Host: x\r\n";
const smuggled = '{"metadata":{"name":"smuggled"}}';

/** What is no HTTP, too much of it, or means one thing to one reader and another to the next. */
export const malformedHttp1: readonly RawRow[] = [
  ["no request line", "400 400 Bad Request", ["hello\r\n\r\n"]],
  ["no version", "400 400 Bad Request", ["GET /version\r\n\r\n"]],
  ["HTTP/9.9", "400 400 Bad Request", [`GET /version HTTP/9.9\r\n${host}\r\n`]],
  [
    "HTTP/1.0 without host",
    "404 NotFound: the server could not find the requested resource",
    ["GET /api/v1/nothing HTTP/1.0\r\n\r\n"],
  ],
  [
    "no host",
    "400 400 Bad Request: missing required Host header",
    ["GET /version HTTP/1.1\r\n\r\n"],
  ],
  [
    "two hosts",
    "400 400 Bad Request: too many Host headers",
    [`GET /version HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`],
  ],
  [
    "bad host",
    "400 400 Bad Request: malformed Host header",
    [`GET /version HTTP/1.1\r\nHost: a b\r\n\r\n`],
  ],
  ["lower-case method", "400 400 Bad Request", [`get /version HTTP/1.1\r\n${host}\r\n`]],
  ["unknown method", "400 400 Bad Request", [`FROBNICATE ${configMaps} HTTP/1.1\r\n${host}\r\n`]],
  ["CONNECT", "closed", [`CONNECT x:443 HTTP/1.1\r\n${host}\r\n`]],
  ["path without slash", "400 400 Bad Request", [`GET api/v1 HTTP/1.1\r\n${host}\r\n`]],
  ["asterisk", "404 404 page not found", [`GET * HTTP/1.1\r\n${host}\r\n`]],
  ["OPTIONS *", "404 404 page not found", [`OPTIONS * HTTP/1.1\r\n${host}\r\n`]],
  [
    "absolute URI",
    "404 NotFound: the server could not find the requested resource",
    [`GET https://evil.example/api/v1/nothing HTTP/1.1\r\n${host}\r\n`],
  ],
  ["space in path", "400 400 Bad Request", [`GET /api/v1/no thing HTTP/1.1\r\n${host}\r\n`]],
  [
    "raw bytes in path",
    "400 400 Bad Request",
    [Buffer.from(`GET /api/v1/\xff\xfe HTTP/1.1\r\n${host}\r\n`, "latin1")],
  ],
  ["tab in path", "400 400 Bad Request", [`GET /api\t/v1 HTTP/1.1\r\n${host}\r\n`]],
  [
    "fragment",
    "404 NotFound: the server could not find the requested resource",
    [`GET /api/v1/nothing#x HTTP/1.1\r\n${host}\r\n`],
  ],
  [
    "different content-lengths",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!`],
  ],
  [
    "same content-lengths",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]`],
  ],
  [
    "list of lengths",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2, 2\r\n\r\n[]`],
  ],
  [
    "negative length",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`],
  ],
  [
    "plus length",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: +2\r\n\r\n[]`],
  ],
  [
    "length of nonsense",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 1e3\r\n\r\n[]`],
  ],
  [
    "huge length",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 99999999999999999999\r\n\r\n[]`],
  ],
  [
    "large length",
    "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 3145729\r\n\r\n`],
  ],
  [
    "TE and CL",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /version HTTP/1.1\r\n${host}\r\n`,
    ],
  ],
  [
    "CL and TE reversed",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
    ],
  ],
  [
    "TE twice",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`,
    ],
  ],
  [
    "TE chunked chunked",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
  ],
  [
    "TE xchunked",
    "501 Unsupported transfer encoding",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ],
  [
    "TE gzip chunked",
    "501 Unsupported transfer encoding",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ],
  [
    "TE with vertical tab",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
  ],
  [
    "TE on HTTP/1.0",
    "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unex…",
    [`POST ${configMaps} HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ],
  [
    "chunk size nonsense",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
  ],
  [
    "chunk size overflow",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n`,
    ],
  ],
  [
    "chunk negative",
    "400 400 Bad Request",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n-1\r\n`],
  ],
  [
    "chunk without CRLF",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2\r\n[]x\r\n0\r\n\r\n`,
    ],
  ],
  [
    "chunk ext huge",
    "413 413 Payload Too Large",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n2;${"x".repeat(100000)}\r\n[]\r\n0\r\n\r\n`,
    ],
  ],
  [
    "trailer with impersonation",
    "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json…",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\nImpersonate-User: x\r\n\r\n`,
    ],
  ],
  [
    "obs-fold",
    "400 400 Bad Request",
    [`GET /api/v1/nothing HTTP/1.1\r\n${host}X-A: a\r\n b\r\n\r\n`],
  ],
  [
    "space before colon",
    "400 400 Bad Request",
    [`GET /version HTTP/1.1\r\n${host}X-A : a\r\n\r\n`],
  ],
  ["no colon", "400 400 Bad Request", [`GET /version HTTP/1.1\r\n${host}X-A\r\n\r\n`]],
  ["empty name", "400 400 Bad Request", [`GET /version HTTP/1.1\r\n${host}: a\r\n\r\n`]],
  ["space first", "400 400 Bad Request", [`GET /version HTTP/1.1\r\n ${host}\r\n`]],
  ["NUL in value", "400 400 Bad Request", [`GET /version HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`]],
  [
    "bare CR in value",
    "400 400 Bad Request",
    [`GET /version HTTP/1.1\r\n${host}X-A: a\rImpersonate-User: b\r\n\r\n`],
  ],
  ["bare LF lines", "400 400 Bad Request", [`GET /api/v1/nothing HTTP/1.1\nHost: x\n\n`]],
  [
    "bare LF in value",
    "400 400 Bad Request",
    [`GET /api/v1/nothing HTTP/1.1\r\n${host}X-A: a\nX-B: b\r\n\r\n`],
  ],
  ["name with paren", "400 400 Bad Request", [`GET /version HTTP/1.1\r\n${host}X(A: a\r\n\r\n`]],
  [
    "non-ascii name",
    "400 400 Bad Request",
    [Buffer.from(`GET /version HTTP/1.1\r\n${host}X-\xe9: a\r\n\r\n`, "latin1")],
  ],
  [
    "headers 2MB",
    "431 431 Request Header Fields Too Large",
    [`GET /version HTTP/1.1\r\n${host}X-A: ${"a".repeat(2_000_000)}\r\n\r\n`],
  ],
  [
    "URL 2MB",
    "431 431 Request Header Fields Too Large",
    [`GET /version?${"a".repeat(2_000_000)} HTTP/1.1\r\n${host}\r\n`],
  ],
  [
    "3000 headers, then one that counts",
    '403 Forbidden: configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "default"',
    [
      `GET ${configMaps} HTTP/1.1\r\n${host}${Array.from({ length: 3000 }, (_, i) => `X-${i}: a\r\n`).join("")}Impersonate-User: nobody\r\n\r\n`,
    ],
  ],
  [
    "30,000 headers, then one that counts",
    '403 Forbidden: configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "default"',
    [
      `GET ${configMaps} HTTP/1.1\r\n${host}${Array.from({ length: 30000 }, (_, i) => `X-${i}: a\r\n`).join("")}Impersonate-User: nobody\r\n\r\n`,
    ],
  ],
  [
    "chunked beyond limit",
    "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n`,
      ...Array.from({ length: 40 }, () => `19000\r\n${"x".repeat(0x19000)}\r\n`),
    ],
  ],
  [
    "truncated body",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n${smuggled}`,
    ],
    { hangUp: true },
  ],
  [
    "truncated chunk",
    "400 400 Bad Request",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n${smuggled}`,
    ],
    { hangUp: true },
  ],
  [
    "smuggled in body",
    "400 BadRequest: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json…",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n[]DELETE ${configMaps}/a HTTP/1.1\r\n\r\n`,
    ],
    { answers: 2 },
  ],
  [
    "pipelined garbage",
    "404 NotFound: the server could not find the requested resource",
    [`GET /api/v1/nothing HTTP/1.1\r\n${host}\r\n\r\nhello\r\n\r\n`],
    { answers: 2 },
  ],
  [
    "expect nonsense",
    "417 0",
    [`POST ${configMaps} HTTP/1.1\r\n${host}Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n[]`],
  ],
  [
    "expect 100 with too large",
    "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
    [
      `POST ${configMaps} HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 9999999\r\n\r\n`,
    ],
  ],
  [
    "upgrade websocket nowhere",
    "404 404 page not found",
    [
      `GET /nowhere HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    ],
  ],
  [
    "upgrade h2c",
    "404 NotFound: the server could not find the requested resource",
    [
      `GET /api/v1/nothing HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n`,
    ],
  ],
  [
    "upgrade without connection",
    "404 NotFound: the server could not find the requested resource",
    [`GET /api/v1/nothing HTTP/1.1\r\n${host}Upgrade: websocket\r\n\r\n`],
  ],
  ["h2 preface", "400 400 Bad Request", ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]],
  [
    "GET with body",
    "404 NotFound: the server could not find the requested resource",
    [`GET /api/v1/nothing HTTP/1.1\r\n${host}Content-Length: 5\r\n\r\nhello`],
  ],
  ["binary", "400 400 Bad Request", [Buffer.from("16030100c8010000c40303", "hex")]],
  ["1MB of NUL", "400 400 Bad Request", [Buffer.alloc(1_000_000)]],
  ["percent path", "400 400 Bad Request", [`GET ${configMaps}/% HTTP/1.1\r\n${host}\r\n`]],
];
