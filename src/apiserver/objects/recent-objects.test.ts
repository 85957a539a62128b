import { expect, test } from "vitest";
import { configMapKind, objectOf } from "../verbs/verb-parts.test-support.ts";
import { RecentObjects } from "./recent-objects.ts";
import { encodeStored, Stored } from "./stored.ts";

const storedOf = (name: string, data: Record<string, string> = {}): Stored => {
  const { bytes: value } = encodeStored(configMapKind, objectOf(configMapKind, name, { data }));
  return new Stored(configMapKind, { key: `/${name}`, value, modRevision: 7 });
};

test("RecentObjects: an object is decoded once while it is recent, and shared with other readers", () => {
  const recent = new RecentObjects();
  const stored = storedOf("a");
  const object = recent.read(stored);
  expect(recent.read(stored)).toBe(object);
  stored.takeJson();
  expect(stored.object).toBe(object);
  expect(object.metadata).toMatchObject({ name: "a", resourceVersion: "7" });
});

test("RecentObjects: the oldest object is dropped when there are too many", () => {
  const recent = new RecentObjects();
  const stored = storedOf("a");
  const object = recent.read(stored);
  for (let n = 1; n < 1024; n++) recent.read(storedOf(`other-${n}`));
  expect(stored.isKept).toEqual(true);
  recent.read(storedOf("last"));
  expect(stored.isKept).toEqual(false);
  expect(stored.object).not.toBe(object);
  expect(stored.object).toEqual(object);
});

test("RecentObjects: a large object is not counted", () => {
  const recent = new RecentObjects();
  const stored = storedOf("a", { text: "x".repeat(40_000) });
  expect(recent.read(stored)).toBe(stored.object);
  expect(stored.isKept).toEqual(false);
});
