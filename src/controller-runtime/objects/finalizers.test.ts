import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import {
  addFinalizer,
  hasFinalizer,
  removeFinalizer,
  withFinalizer,
  withoutFinalizer,
} from "./finalizers.ts";

let api: TestApi;
beforeEach(async () => {
  api = await openTestApi();
});
afterEach(() => api.close());

const ours = "example.com/ours";
const theirs = "example.com/theirs";

test("finalizers of an object are a set", () => {
  const object = { metadata: { finalizers: [theirs] } };
  const both = withFinalizer(object, ours);
  expect(both.metadata.finalizers).toEqual([theirs, ours]);
  expect(withFinalizer(both, ours)).toBe(both);
  expect(withoutFinalizer(both, theirs).metadata.finalizers).toEqual([ours]);
  expect(withoutFinalizer(object, ours)).toBe(object);
  expect([hasFinalizer(both, ours), hasFinalizer({}, ours)]).toEqual([true, false]);
});

test("a finalizer is added after a conflict, and concurrent changes are kept", async () => {
  const { client, clock, random } = api;
  const options = { client, clock, random, kind: ConfigMap };
  const created = await client.create(ConfigMap, { metadata: { name: "a" } });
  const patch = { metadata: { finalizers: [theirs] }, data: { x: "1" } };
  await client.patch(ConfigMap, { name: "a" }, { merge: patch });
  const adding = addFinalizer(options, created, ours);
  await clock.advance(100);
  const added = await adding;
  expect(added).toMatchObject({ data: { x: "1" }, metadata: { finalizers: [theirs, ours] } });
  expect(await addFinalizer(options, added, ours)).toBe(added);

  await client.patch(ConfigMap, { name: "a" }, { merge: { data: { x: "2" } } });
  const removing = removeFinalizer(options, added, ours);
  await clock.advance(100);
  expect(await removing).toMatchObject({ data: { x: "2" }, metadata: { finalizers: [theirs] } });
});

test("removing the last finalizer of a deleted object completes its deletion", async () => {
  const { client, clock, random } = api;
  const options = { client, clock, random, kind: ConfigMap };
  const made = { metadata: { name: "a", finalizers: [ours] } };
  const created = await client.create(ConfigMap, made);
  const leaving = await client.delete(ConfigMap, { name: "a" });
  expect(leaving?.metadata.deletionTimestamp).toBeDefined();
  await removeFinalizer(options, leaving ?? created, ours);
  await expect(client.get(ConfigMap, { name: "a" })).rejects.toMatchObject({ reason: "NotFound" });
  expect(await removeFinalizer(options, created, ours)).toBeUndefined();
});

test("a later object of the same name is not changed", async () => {
  const { client, clock, random } = api;
  const options = { client, clock, random, kind: ConfigMap };
  const made = { metadata: { name: "a", finalizers: [ours] } };
  const first = await client.create(ConfigMap, made);
  await removeFinalizer(options, first, ours);
  await client.delete(ConfigMap, { name: "a" });
  await client.create(ConfigMap, made);
  const removing = removeFinalizer(options, first, ours);
  await clock.advance(100);
  expect(await removing).toBeUndefined();
  expect((await client.get(ConfigMap, { name: "a" })).metadata.finalizers).toEqual([ours]);
});
