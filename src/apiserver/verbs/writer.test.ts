import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { admissionChain } from "../admission/admission.ts";
import { alwaysDeny } from "../admission/always-deny.ts";
import { ObjectReader } from "../objects/reader.ts";
import { Resources } from "../objects/resources.ts";
import { openParts } from "./verb-parts.test-support.ts";
import { ownParts, Writer } from "./writer.ts";

const key = { namespace: "default", name: "a" };

async function open() {
  const parts = await openParts();
  await parts.createNamespace("default");
  const { reader, writer } = ownParts(parts);
  return { parts, writer, get: () => reader.get(ConfigMap, key) };
}

test("Writer.ensure: creates an object once, as the server", async () => {
  const { writer, get } = await open();
  await writer.ensure(ConfigMap, { metadata: key, data: { a: "1" } });
  await writer.ensure(ConfigMap, { metadata: key, data: { a: "2" } });
  expect(await get()).toMatchObject({
    kind: "ConfigMap",
    metadata: { managedFields: [{ manager: "kube-apiserver" }] },
    data: { a: "1" },
  });
});

test("Writer.create: throws if the object exists", async () => {
  const { writer } = await open();
  await writer.create(ConfigMap, { metadata: key });
  await expect(writer.create(ConfigMap, { metadata: key })).rejects.toMatchObject({
    reason: "AlreadyExists",
  });
});

test("Writer.create: does nothing for a kind that is not served", async () => {
  const { parts, get } = await open();
  const reader = new ObjectReader({ ...parts, resources: new Resources([]) });
  await new Writer({ ...parts, reader }).create(ConfigMap, { metadata: key });
  expect(await get()).toEqual(undefined);
});

test("Writer.update: changes the current object, and reports one that does not exist", async () => {
  const { writer, get } = await open();
  const change = (existing: ConfigMap) => ({ ...existing, data: { b: "1" } });
  expect(await writer.update(ConfigMap, key, change)).toEqual(false);
  await writer.ensure(ConfigMap, { metadata: key, data: { a: "1" } });
  expect(await writer.update(ConfigMap, key, change, { fieldManager: "me" })).toEqual(true);
  expect(await get()).toMatchObject({
    metadata: { managedFields: [{ manager: "kube-apiserver" }, { manager: "me" }] },
    data: { b: "1" },
  });
});

test("Writer.update: does not create an object of a kind that updates create", async () => {
  const { parts, writer } = await open();
  expect(await writer.update(Endpoints, key, (existing) => existing)).toEqual(false);
  expect(await parts.reader.get(Endpoints, key)).toEqual(undefined);
});

test("Writer.update: a change to an older version is a conflict", async () => {
  const { writer, get } = await open();
  await writer.ensure(ConfigMap, { metadata: key });
  const old = (await get()) as ConfigMap;
  await writer.update(ConfigMap, key, (existing) => ({ ...existing, data: { a: "1" } }));
  await expect(writer.update(ConfigMap, key, () => old)).rejects.toMatchObject({
    reason: "Conflict",
  });
});

test("Writer.createOrUpdate: writes an object whether or not it exists", async () => {
  const { writer, get } = await open();
  const next = (existing: ConfigMap | undefined) => ({
    metadata: key,
    data: { ...existing?.data, [existing ? "b" : "a"]: "1" },
  });
  await writer.createOrUpdate(ConfigMap, key, next);
  await writer.createOrUpdate(ConfigMap, key, next);
  expect((await get())?.data).toEqual({ a: "1", b: "1" });
});

test("Writer.apply: sets fields of a field manager, and takes them from others", async () => {
  const { writer, get } = await open();
  const options = { fieldManager: "me" };
  await writer.ensure(ConfigMap, { metadata: key, data: { a: "1", b: "1" } });
  expect(await writer.apply(ConfigMap, key, () => ({ data: { a: "2" } }), options)).toEqual(true);
  expect(await get()).toMatchObject({
    metadata: {
      managedFields: [{ manager: "me", operation: "Apply" }, { manager: "kube-apiserver" }],
    },
    data: { a: "2", b: "1" },
  });
  expect(await writer.apply(FlowSchema, { name: "a" }, () => ({}), options)).toEqual(false);
});

test("Writer.delete: deletes an object with the given uid only", async () => {
  const { writer, get } = await open();
  await writer.delete(ConfigMap, key);
  await writer.ensure(ConfigMap, { metadata: key });
  await writer.delete(ConfigMap, key, { uid: "another" });
  expect(await get()).toBeDefined();
  await writer.delete(ConfigMap, key);
  expect(await get()).toEqual(undefined);
});

test("ownParts: admission does not see the server's own writes", async () => {
  const { parts, get } = await open();
  const admission = admissionChain([alwaysDeny]);
  await ownParts({ ...parts, admission }).writer.ensure(ConfigMap, { metadata: key });
  expect(await get()).toBeDefined();
});
