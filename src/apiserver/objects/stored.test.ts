import { expect, test } from "vitest";
import { Event as CoreEvent } from "../../api/core/v1/event/event.ts";
import { Event } from "../../api/events/v1/event.ts";
import {
  addressOf,
  configMapKind,
  objectOf,
  openParts,
  write,
} from "../verbs/verb-parts.test-support.ts";
import type { AnyKind } from "./object.ts";
import { encodeStored, Stored, storedKind, withVersion } from "./stored.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const object = objectOf(configMapKind, "a", {
  metadata: { uid: "u", labels: { l: "1" }, resourceVersion: "old" },
  data: { "10": "x", "9": "y" },
});
const bytesOf = (kind = configMapKind, of = object) => encodeStored(kind, of).bytes;
const json =
  '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"7","labels":{"l":"1"}},"data":{"10":"x","9":"y"}}';

test("encodeStored: the bytes are upstream's, without the version", async () => {
  const bytes = text(bytesOf());
  expect([bytes.startsWith("k8s\0\n"), bytes.includes("ConfigMap"), bytes.includes("old")]).toEqual(
    [true, true, false],
  );
});

test("encodeStored: as JSON, if the server stores that, which is read as well", () => {
  const { bytes: value } = encodeStored(configMapKind, object, true);
  expect(text(value).endsWith("}\n")).toBe(true);
  const { resourceVersion: _, ...metadata } = object.metadata;
  expect(JSON.parse(text(value))).toEqual({ ...object, metadata });
  const stored = new Stored(configMapKind, { key: "/a", value, modRevision: 7 });
  expect(text(stored.json)).toEqual(json);
});

test("Stored: bytes from the store are read once, with their revision", async () => {
  const stored = new Stored(configMapKind, { key: "/a", value: bytesOf(), modRevision: 7 });
  expect(stored.object).toEqual({
    ...object,
    metadata: { ...object.metadata, resourceVersion: "7" },
  });
  expect(stored.object).toBe(stored.object);
  expect(text(stored.json)).toEqual(json);
  expect(text(stored.jsonLine)).toEqual(`${json}\n`);
  expect(stored.json.buffer).toBe(stored.jsonLine.buffer);
});

test("Stored: the object that was just written is not decoded again", () => {
  const written = encodeStored(configMapKind, object);
  const entry = { key: "/a", value: written.bytes, modRevision: 7 };
  const stored = new Stored(configMapKind, entry, written.stored);
  expect((stored.object as { data?: unknown }).data).toBe((object as { data?: unknown }).data);
  expect(text(stored.json)).toEqual(json);
});

test("Stored: takeJson gives the same text, and the object can still be had", async () => {
  const written = encodeStored(configMapKind, object);
  const entry = { key: "/a", value: written.bytes, modRevision: 7 };
  const stored = new Stored(configMapKind, entry, written.stored);
  const line = stored.takeJson();
  expect(typeof line === "string" ? line : text(line)).toEqual(`${json}\n`);
  expect(stored.object.metadata.resourceVersion).toEqual("7");
  expect(text(stored.json)).toEqual(json);
});

test("Stored: an object is frozen to its depths", async () => {
  const { object: frozen } = new Stored(configMapKind, {
    key: "/a",
    value: bytesOf(),
    modRevision: 7,
  });
  const parts = [
    frozen,
    frozen.metadata,
    frozen.metadata.labels,
    (frozen as { data?: object }).data,
  ];
  expect(parts.map((part) => Object.isFrozen(part))).toEqual([true, true, true, true]);
});

test("Stored: the tail starts where the head of the kind ends", async () => {
  const stored = new Stored(configMapKind, { key: "/a", value: bytesOf(), modRevision: 7 });
  expect(configMapKind.form.head + text(stored.jsonTail)).toEqual(json);
});

test("Stored: at a later revision nothing else differs", async () => {
  const stored = new Stored(configMapKind, { key: "/a", value: bytesOf(), modRevision: 7 });
  expect(text(stored.at(9).json)).toEqual(json.replace('"7"', '"9"'));
  expect(text(stored.json)).toEqual(json);
});

test("Stored: an object can be seen as the other kind that is stored as one", async () => {
  const [core, events] = [CoreEvent as AnyKind, Event as AnyKind];
  expect([storedKind(events), storedKind(core)]).toEqual([core, core]);
  const parts = await openParts();
  const stored = await write(parts, core, "e", {
    involvedObject: { kind: "Pod", name: "p" },
    message: "hello",
  });
  const view = stored.as(events);
  expect(view.object).toMatchObject({
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    regarding: { kind: "Pod", name: "p" },
    note: "hello",
  });
  expect([stored.as(events), view.as(events), stored.as(core)]).toEqual([view, view, stored]);
  expect(stored.as(events)).toBe(view);
  expect(addressOf(events, "e").namespace).toEqual("default");
});

test.each([
  [{ name: "a" }, '{"name":"a","resourceVersion":"5"}'],
  [{ name: "a", uid: "u", resourceVersion: "1" }, '{"name":"a","uid":"u","resourceVersion":"5"}'],
  [{ generateName: "g", labels: {} }, '{"generateName":"g","resourceVersion":"5","labels":{}}'],
  [{ generation: 1, resourceVersion: "4" }, '{"resourceVersion":"5","generation":1}'],
  [{}, '{"resourceVersion":"5"}'],
])("withVersion: %j has its version in its place", (metadata, wanted) => {
  const result = withVersion(configMapKind, { kind: "A", apiVersion: "v1", metadata } as never, 5);
  expect(JSON.stringify(result.metadata)).toEqual(wanted);
});
