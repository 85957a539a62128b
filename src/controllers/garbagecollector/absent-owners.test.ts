import { expect, test } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";

const owner = (uid: string, namespace = "ns") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace,
  name: "a",
  uid,
});

test("absent owners are compared by all members of a reference", () => {
  const absent = new AbsentOwners();
  absent.add(owner("1"));
  expect(absent.has(owner("1"))).toBe(true);
  expect(absent.has(owner("1", "other"))).toBe(false);
  expect(absent.has(owner("2"))).toBe(false);
});

test("500 absent owners are cached; the least recently used is evicted first", () => {
  const absent = new AbsentOwners();
  for (let i = 0; i < 500; i++) absent.add(owner(`${i}`));
  expect(absent.has(owner("0"))).toBe(true);
  absent.add(owner("500"));
  expect(absent.has(owner("0"))).toBe(true);
  expect(absent.has(owner("1"))).toBe(false);
  expect(absent.has(owner("2"))).toBe(true);
});
