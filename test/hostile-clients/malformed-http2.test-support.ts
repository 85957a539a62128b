import { configMaps } from "./malformed.test-support.ts";
import {
  ack,
  block,
  endHeaders,
  endStream,
  frame,
  integer,
  preface,
} from "./raw-http2.test-support.ts";

/** Frames of HTTP/2 after preface and settings, and what comes of them, or may. */
export type FrameRow = readonly [title: string, wanted: string, frames: readonly Uint8Array[]];

const settings = frame("settings");
const whole = endHeaders | endStream;
const get = [
  [":method", "GET"],
  [":scheme", "https"],
  [":authority", "x"],
  [":path", "/api/v1/nothing"],
] as const;
const request = (
  headers: readonly (readonly [string, string])[],
  { stream = 1, flags = whole } = {},
): Buffer => frame("headers", block(headers), { stream, flags });
const post = [
  [":method", "POST"],
  [":scheme", "https"],
  [":authority", "x"],
  [":path", configMaps],
  ["content-type", "application/json"],
] as const;
const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const begin = [preface, settings];
const many = (count: number, make: (n: number) => Uint8Array): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, n) => make(n)));

/** One large header in the table of the other side, then a byte for each repetition of it. */
const bomb = Buffer.concat([
  block(get),
  Buffer.of(0x40),
  Buffer.concat([integer(1, 7), Buffer.from("x")]),
  Buffer.concat([integer(4000, 7), Buffer.alloc(4000, "a")]),
  Buffer.alloc(12_000, 0xbe),
]);

export const malformedHttp2: readonly FrameRow[] = [
  ["no preface", "goaway INTERNAL_ERROR", [Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")]],
  [
    "a preface that is cut short",
    "goaway INTERNAL_ERROR",
    [Buffer.from("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")],
  ],
  [
    "no settings first",
    "goaway INTERNAL_ERROR",
    [preface, frame("ping", Buffer.alloc(8)), request(get)],
  ],
  [
    "settings that confirm and say something",
    "goaway FRAME_SIZE_ERROR",
    [...begin, frame("settings", Buffer.alloc(6), { flags: ack })],
  ],
  [
    "settings of a stream",
    "goaway INTERNAL_ERROR",
    [...begin, frame("settings", Buffer.alloc(0), { stream: 1 })],
  ],
  [
    "settings of half a setting",
    "goaway FRAME_SIZE_ERROR",
    [...begin, frame("settings", Buffer.alloc(5))],
  ],
  [
    "settings of a huge window",
    "goaway INTERNAL_ERROR",
    [...begin, frame("settings", Buffer.from("0004ffffffff", "hex"))],
  ],
  [
    "settings of a small frame size",
    "goaway INTERNAL_ERROR",
    [...begin, frame("settings", Buffer.from("000500000001", "hex"))],
  ],
  [
    "settings that allow a server to push twice",
    "goaway INTERNAL_ERROR",
    [...begin, frame("settings", Buffer.from("000200000002", "hex"))],
  ],
  [
    "a frame of 16 MB",
    "goaway FRAME_SIZE_ERROR",
    [...begin, frame("data", Buffer.alloc(0), { stream: 1, length: 0xffffff })],
  ],
  [
    "a frame of an unknown type",
    "answered 404",
    [...begin, frame(0xbe, Buffer.alloc(100)), request(get)],
  ],
  ["data of the connection", "goaway PROTOCOL_ERROR", [...begin, frame("data", Buffer.from("x"))]],
  [
    "data of a stream that is not open",
    "goaway PROTOCOL_ERROR",
    [...begin, frame("data", Buffer.from("x"), { stream: 5 })],
  ],
  [
    "data after the end",
    "goaway STREAM_CLOSED",
    [...begin, request(get), frame("data", Buffer.from("x"), { stream: 1 })],
  ],
  [
    "data with more padding than data",
    "goaway PROTOCOL_ERROR",
    [
      ...begin,
      request(post, { flags: endHeaders }),
      frame("data", Buffer.of(9, 1), { stream: 1, flags: 8 }),
    ],
  ],
  ["headers of the connection", "goaway INTERNAL_ERROR", [...begin, request(get, { stream: 0 })]],
  [
    "headers of a stream of the server",
    "goaway INTERNAL_ERROR",
    [...begin, request(get, { stream: 2 })],
  ],
  [
    "a stream that depends on itself",
    "goaway INTERNAL_ERROR",
    [
      ...begin,
      frame("headers", Buffer.concat([word(1), Buffer.of(1), block(get)]), {
        stream: 1,
        flags: whole | 0x20,
      }),
    ],
  ],
  [
    "a priority that is cut short",
    "goaway FRAME_SIZE_ERROR",
    [...begin, frame("priority", Buffer.alloc(3), { stream: 1 })],
  ],
  ["a window of nothing more", "goaway INTERNAL_ERROR", [...begin, frame("windowUpdate", word(0))]],
  [
    "a window beyond all bounds",
    "goaway INTERNAL_ERROR",
    [...begin, frame("windowUpdate", word(0x7fffffff))],
  ],
  [
    "a window of a stream that is not open",
    "goaway INTERNAL_ERROR",
    [...begin, frame("windowUpdate", word(1), { stream: 9 })],
  ],
  [
    "a reset of a stream that is not open",
    "goaway INTERNAL_ERROR",
    [...begin, frame("reset", word(8), { stream: 9 })],
  ],
  [
    "a reset that is cut short",
    "goaway FRAME_SIZE_ERROR",
    [
      ...begin,
      request(post, { flags: endHeaders }),
      frame("reset", Buffer.alloc(3), { stream: 1 }),
    ],
  ],
  [
    "a ping that is too long",
    "goaway FRAME_SIZE_ERROR",
    [...begin, frame("ping", Buffer.alloc(9))],
  ],
  [
    "a ping of a stream",
    "goaway INTERNAL_ERROR",
    [...begin, frame("ping", Buffer.alloc(8), { stream: 1 })],
  ],
  [
    "a promise of a client",
    "goaway INTERNAL_ERROR",
    [
      ...begin,
      frame("push", Buffer.concat([word(2), block(get)]), { stream: 1, flags: endHeaders }),
    ],
  ],
  [
    "a continuation of nothing",
    "goaway PROTOCOL_ERROR",
    [...begin, frame("continuation", block(get), { stream: 1, flags: endHeaders })],
  ],
  [
    "a ping amid headers",
    "goaway PROTOCOL_ERROR",
    [...begin, request(get, { flags: endStream }), frame("ping", Buffer.alloc(8))],
  ],
  [
    "a continuation of another stream",
    "goaway PROTOCOL_ERROR",
    [
      ...begin,
      request(get, { flags: endStream }),
      frame("continuation", Buffer.alloc(0), { stream: 3, flags: endHeaders }),
    ],
  ],
  [
    "headers that nobody can unpack",
    "goaway COMPRESSION_ERROR",
    [...begin, frame("headers", Buffer.alloc(10, 0xff), { stream: 1, flags: whole })],
  ],
  [
    "an index beyond the table",
    "goaway COMPRESSION_ERROR",
    [...begin, frame("headers", Buffer.of(0xfe), { stream: 1, flags: whole })],
  ],
  [
    "a table larger than allowed",
    "goaway COMPRESSION_ERROR",
    [
      ...begin,
      frame(
        "headers",
        Buffer.concat([Buffer.of(0x3f), Buffer.of(0xff, 0xff, 0xff, 0x07), block(get)]),
        { stream: 1, flags: whole },
      ),
    ],
  ],
  ["upper case in a name", "reset PROTOCOL_ERROR", [...begin, request([...get, ["X-A", "a"]])]],
  ["no path", "reset PROTOCOL_ERROR", [...begin, request(get.slice(0, 3))]],
  [
    "an empty path",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get.slice(0, 3), [":path", ""]])],
  ],
  [
    "a path without slash",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get.slice(0, 3), [":path", "api"]])],
  ],
  [
    "a path with a line break",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get.slice(0, 3), [":path", "/a\r\nb"]])],
  ],
  ["two paths", "reset PROTOCOL_ERROR", [...begin, request([...get, [":path", "/b"]])]],
  ["no method", "reset PROTOCOL_ERROR", [...begin, request(get.slice(1))]],
  ["two methods", "reset PROTOCOL_ERROR", [...begin, request([[":method", "GET"], ...get])]],
  [
    "a status of a client",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get, [":status", "200"]])],
  ],
  ["an unknown pseudo-header", "reset PROTOCOL_ERROR", [...begin, request([...get, [":x", "a"]])]],
  [
    "a pseudo-header after others",
    "reset PROTOCOL_ERROR",
    [...begin, request([["x-a", "a"], ...get])],
  ],
  [
    "a header of the connection",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get, ["connection", "close"]])],
  ],
  [
    "an encoding of the transfer",
    "reset PROTOCOL_ERROR",
    [...begin, request([...get, ["transfer-encoding", "chunked"]])],
  ],
  ["an upgrade", "reset PROTOCOL_ERROR", [...begin, request([...get, ["upgrade", "websocket"]])]],
  ["te of something else", "reset PROTOCOL_ERROR", [...begin, request([...get, ["te", "gzip"]])]],
  [
    "more body than said",
    "reset PROTOCOL_ERROR",
    [
      ...begin,
      request([...post, ["content-length", "1"]], { flags: endHeaders }),
      frame("data", Buffer.from("[]"), { stream: 1, flags: endStream }),
    ],
  ],
  [
    "less body than said",
    "reset PROTOCOL_ERROR",
    [
      ...begin,
      request([...post, ["content-length", "9"]], { flags: endHeaders }),
      frame("data", Buffer.from("[]"), { stream: 1, flags: endStream }),
    ],
  ],
  [
    "a length of nonsense",
    "reset PROTOCOL_ERROR",
    [...begin, request([...post, ["content-length", "x"]], { flags: endHeaders })],
  ],
  [
    "two lengths",
    "reset PROTOCOL_ERROR",
    [
      ...begin,
      request([...post, ["content-length", "2"], ["content-length", "3"]], { flags: endHeaders }),
    ],
  ],
  [
    "a length that is too large",
    "answered 413",
    [...begin, request([...post, ["content-length", "9999999"]], { flags: endHeaders })],
  ],
  [
    "trailers with a pseudo-header",
    "reset PROTOCOL_ERROR",
    [...begin, request(post, { flags: endHeaders }), request([[":path", "/b"]])],
  ],
  [
    "3,000 headers, then one that counts",
    "goaway INTERNAL_ERROR|closed",
    [
      ...begin,
      frame("headers", block(get), { stream: 1, flags: endStream }),
      ...Array.from({ length: 30 }, (_, n) =>
        frame(
          "continuation",
          block(Array.from({ length: 100 }, (__, i) => [`x-${n}-${i}`, "a"] as const)),
          { stream: 1 },
        ),
      ),
      frame("continuation", block([["impersonate-user", "nobody"]]), {
        stream: 1,
        flags: endHeaders,
      }),
    ],
  ],
  [
    "a bomb of headers",
    "reset ENHANCE_YOUR_CALM",
    [...begin, frame("headers", bomb, { stream: 1, flags: whole })],
  ],
  [
    "2 MB of headers",
    "goaway INTERNAL_ERROR|closed",
    [
      ...begin,
      frame("headers", block(get), { stream: 1, flags: endStream }),
      many(200, (n) =>
        frame("continuation", block([[`x-${n}`, "a".repeat(10_000)]]), { stream: 1 }),
      ),
    ],
  ],
  [
    "continuations without end",
    "goaway INTERNAL_ERROR|closed",
    [
      ...begin,
      frame("headers", block(get), { stream: 1, flags: endStream }),
      many(50_000, () => frame("continuation", Buffer.alloc(0), { stream: 1 })),
    ],
  ],
  [
    "a flood of settings",
    "goaway INTERNAL_ERROR|goaway ENHANCE_YOUR_CALM|closed",
    [...begin, many(50_000, () => settings), request(get)],
  ],
  [
    "a flood of pings",
    "goaway INTERNAL_ERROR|goaway ENHANCE_YOUR_CALM|closed",
    [...begin, many(50_000, () => frame("ping", Buffer.alloc(8))), request(get)],
  ],
  [
    "a flood of empty data",
    "goaway INTERNAL_ERROR|goaway ENHANCE_YOUR_CALM|closed",
    [
      ...begin,
      request(post, { flags: endHeaders }),
      many(50_000, () => frame("data", Buffer.alloc(0), { stream: 1 })),
      frame("data", Buffer.from("[]"), { stream: 1, flags: endStream }),
    ],
  ],
  [
    "a flood of resets",
    "goaway INTERNAL_ERROR|closed",
    [
      ...begin,
      many(20_000, (n) =>
        Buffer.concat([
          request(post, { stream: 2 * n + 1, flags: endHeaders }),
          frame("reset", word(8), { stream: 2 * n + 1 }),
        ]),
      ),
      request(get, { stream: 50_001 }),
    ],
  ],
  [
    "a flood of priorities",
    "answered 404",
    [
      ...begin,
      many(50_000, (n) =>
        frame("priority", Buffer.concat([word(0), Buffer.of(1)]), { stream: 2 * n + 1 }),
      ),
      request(get, { stream: 200_001 }),
    ],
  ],
  [
    "1,000 streams at once",
    "reset REFUSED_STREAM",
    [...begin, many(1_000, (n) => request(post, { stream: 2 * n + 1, flags: endHeaders }))],
  ],
];
