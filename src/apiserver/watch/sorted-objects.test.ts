import { expect, test } from "vitest";
import { Stored } from "../objects/stored.ts";
import { configMapKind } from "../verbs/verb-parts.test-support.ts";
import { SortedObjects } from "./sorted-objects.ts";

const stored = (key: string, modRevision = 1): Stored =>
  new Stored(configMapKind, { key, value: new Uint8Array(), modRevision });
const shown = (objects: SortedObjects, prefix = "/"): string[] =>
  objects.list(prefix).map(({ key, revision }) => `${key}@${revision}`);
const sorted = (...keys: readonly string[]): SortedObjects =>
  new SortedObjects(keys.map((key) => [key, stored(key)]));

test("SortedObjects: lists the objects under a prefix, in order", () => {
  const objects = sorted("/b/2", "/a/1", "/b/1", "/c/1");
  expect(["/", "/b/", "/a/", "/c/1", "/d/", "/0"].map((prefix) => shown(objects, prefix))).toEqual([
    ["/a/1@1", "/b/1@1", "/b/2@1", "/c/1@1"],
    ["/b/1@1", "/b/2@1"],
    ["/a/1@1"],
    ["/c/1@1"],
    [],
    [],
  ]);
  expect(shown(sorted())).toEqual([]);
});

test("SortedObjects: lists follow every change, and a returned list does not change", () => {
  const objects = sorted("/b", "/a");
  const before = objects.list("/");
  objects.set(stored("/b", 2));
  expect(shown(objects)).toEqual(["/a@1", "/b@2"]);
  objects.set(stored("/aa", 3));
  expect(shown(objects)).toEqual(["/a@1", "/aa@3", "/b@2"]);
  objects.delete("/a");
  expect(shown(objects)).toEqual(["/aa@3", "/b@2"]);
  expect(before.map(({ key, revision }) => `${key}@${revision}`)).toEqual(["/a@1", "/b@1"]);
});

test("SortedObjects: a copy changes independently", () => {
  const objects = sorted("/b", "/a");
  shown(objects);
  const copy = objects.copy();
  copy.set(stored("/c", 2));
  copy.delete("/b");
  expect([shown(objects), shown(copy)]).toEqual([
    ["/a@1", "/b@1"],
    ["/a@1", "/c@2"],
  ]);
});
