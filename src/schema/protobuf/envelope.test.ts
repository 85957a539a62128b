import { expect, test } from "vitest";
import { WireError } from "../../base/protobuf-wire.ts";
import { envelope, isEnvelope, openEnvelope } from "./envelope.ts";

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, "latin1"));
const raw = Uint8Array.from([1, 2, 3]);

test("envelope: magic, kind and message, as Go writes them", () => {
  const written = envelope({ apiVersion: "v1", kind: "Pod", raw });
  expect(Buffer.from(written).toString("latin1")).toEqual(
    "k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12\x03\x01\x02\x03\x1a\x00\x22\x00",
  );
  expect(openEnvelope(written)).toEqual({ apiVersion: "v1", kind: "Pod", raw });
});

test.each([
  ["k8s\0", { apiVersion: "", kind: "", raw: new Uint8Array() }],
  ["k8s\0\x12\x01x", { apiVersion: "", kind: "", raw: bytes("x") }],
  [
    "k8s\0\x28\x05\x0a\x07\x18\x01\x12\x03Pod",
    { apiVersion: "", kind: "Pod", raw: new Uint8Array() },
  ],
])(
  "openEnvelope: what is missing in %j is empty, and what is more is passed over",
  (text, wanted) => {
    expect(openEnvelope(bytes(text))).toEqual(wanted);
  },
);

test.each([
  "",
  "k8s",
  '{"kind":"Pod"}',
  "k8s\0\x0a",
  "k8s\0\x0a\x05\x0a\x02v",
  "k8s\0\x12\x7f",
  "k8s\0\xff\xff",
  "k8s\0\x0f",
])("openEnvelope: %j is a WireError", (text) => {
  expect(() => openEnvelope(bytes(text))).toThrow(WireError);
});

test("isEnvelope: only bytes that begin as Kubernetes' protobuf does", () => {
  expect(["k8s\0x", "k8s", "k8s1", ""].map((text) => isEnvelope(bytes(text)))).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
