import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { PartialObjectMetadata } from "../../api/meta/v1/partial-object-metadata.ts";
import { Status } from "../../api/meta/v1/status.ts";
import { expired } from "../../api/meta/v1/status-error.ts";
import { WireReader } from "../../base/protobuf-wire.ts";
import type { Kind } from "../../schema/language/kind.ts";
import type { Struct } from "../../schema/language/struct.ts";
import { envelope, openEnvelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../schema/protobuf/protobuf-decode.ts";
import type { ApiObject } from "../objects/object.ts";
import { Stored } from "../objects/stored.ts";
import { type MediaType, type Negotiated, negotiate } from "../request/negotiation.ts";
import { valueEncoding, type WatchEncoding, watchEncoding } from "./watch-encoding.ts";

const kind = ConfigMap as unknown as Kind<ApiObject>;
const object = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "c", namespace: "default" },
  data: { a: "é" },
} as unknown as ApiObject;
const stored = new Stored(kind, {
  key: "/registry/configmaps/default/c",
  value: envelope({
    apiVersion: "v1",
    kind: "ConfigMap",
    raw: encodeProtobuf(kind.struct, object),
  }),
  modRevision: 7,
});
const metadata = { name: "c", namespace: "default", resourceVersion: "7" };
const bookmarked = {
  resourceVersion: "9",
  annotations: { "k8s.io/initial-events-end": "true" },
};
const plain = { kind: "ConfigMap", apiVersion: "v1" };
const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
const metadataOnly = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

const json = "application/json";
const protobuf = "application/vnd.kubernetes.protobuf";
const cases: [accept: string, what: keyof typeof told, struct: Struct, event: unknown][] = [
  [json, "event", kind.struct, { type: "ADDED", object: { ...object, metadata } }],
  [json, "bookmark", kind.struct, { type: "BOOKMARK", object: { ...plain, metadata: bookmarked } }],
  [json + metadataOnly, "event", kind.struct, { type: "ADDED", object: { ...partial, metadata } }],
  [
    json + metadataOnly,
    "bookmark",
    kind.struct,
    { type: "BOOKMARK", object: { ...partial, metadata: bookmarked } },
  ],
  [protobuf, "event", kind.struct, { type: "ADDED", object: { ...object, metadata } }],
  [
    protobuf,
    "bookmark",
    kind.struct,
    { type: "BOOKMARK", object: { ...plain, metadata: bookmarked } },
  ],
  [
    protobuf + metadataOnly,
    "event",
    PartialObjectMetadata,
    { type: "ADDED", object: { ...partial, metadata } },
  ],
  [
    protobuf + metadataOnly,
    "bookmark",
    PartialObjectMetadata,
    { type: "BOOKMARK", object: { ...partial, metadata: bookmarked } },
  ],
];
const told = {
  event: (encoding: WatchEncoding) => encoding.event("ADDED", stored),
  bookmark: (encoding: WatchEncoding) => encoding.bookmark(9, true),
};
test.each(cases)("watchEncoding: %s, %s", (accept, what, struct, event) => {
  expect(read(told[what](encodingFor(negotiate(accept))), struct)).toEqual(event);
});

test.each([json, protobuf])("watchEncoding: %s, an error is a Status", (accept) => {
  const frame = encodingFor(negotiate(accept)).error(expired("too old"));
  expect(read(frame, Status)).toMatchObject({
    type: "ERROR",
    object: { kind: "Status", apiVersion: "v1", code: 410, reason: "Expired", message: "too old" },
  });
});

test("watchEncoding: all watchers of a change are sent the same bytes", () => {
  for (const accept of [json, protobuf]) {
    const [one, other] = [encodingFor(negotiate(accept)), encodingFor(negotiate(accept))];
    expect(one.event("MODIFIED", stored)).toBe(other.event("MODIFIED", stored));
    expect(one.event("MODIFIED", stored)).not.toBe(one.event("ADDED", stored));
  }
});

test("watchEncoding: the first table alone has the columns", () => {
  const encoding = encodingFor(negotiate(`${json};as=Table;g=meta.k8s.io;v=v1`));
  const tables = [1, 2].map(() => JSON.parse(String(encoding.event("ADDED", stored))).object);
  expect(tables.map(({ columnDefinitions }) => columnDefinitions.length)).toEqual([3, 0]);
});

test("valueEncoding: objects shared with other watchers are frozen", () => {
  for (const accept of [json, json + metadataOnly]) {
    const { object } = valueEncoding(kind, options(negotiate(accept))).event("ADDED", stored);
    expect([Object.isFrozen(object), Object.isFrozen((object as ApiObject).metadata)]).toEqual([
      true,
      true,
    ]);
  }
});

test("watchEncoding: YAML is not supported", () => {
  const mediaType: MediaType = "application/yaml";
  expect(watchEncoding(kind, options({ mediaType, as: "", asVersion: "" }))).toBe(undefined);
});

function encodingFor(accept: Negotiated): WatchEncoding {
  const encoding = watchEncoding(kind, options(accept));
  if (!encoding) throw new Error("no encoding");
  return encoding;
}

function options(accept: Negotiated) {
  return { accept, includeObject: "Metadata", now: () => 0 } as const;
}

/** The event that a client decodes from one frame. */
function read(frame: Uint8Array | string, struct: Struct): unknown {
  const bytes = typeof frame === "string" ? new TextEncoder().encode(frame) : frame;
  if (bytes[0] === 0x7b) {
    expect(bytes.at(-1)).toBe(0x0a);
    return JSON.parse(new TextDecoder().decode(bytes));
  }
  expect(new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)).toBe(bytes.length - 4);
  const reader = new WireReader(bytes, 4);
  expect(reader.varint()).toBe(0x0a);
  const type = reader.string();
  expect(reader.varint()).toBe(0x12);
  reader.delimited();
  expect(reader.varint()).toBe(0x0a);
  const { apiVersion, kind: name, raw } = openEnvelope(reader.raw());
  expect(reader.at).toBe(bytes.length);
  return { type, object: { kind: name, apiVersion, ...(decodeProtobuf(struct, raw) as object) } };
}
