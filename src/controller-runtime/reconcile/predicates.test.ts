import { expect, test } from "vitest";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  inNamespaces,
  labelsChanged,
  not,
  type ObjectEvent,
  objectsWhere,
  type Predicate,
  resourceVersionChanged,
} from "./predicates.ts";

const object = (metadata: KubernetesObject["metadata"]): KubernetesObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
});
const update = (
  old: KubernetesObject["metadata"],
  now: KubernetesObject["metadata"],
): ObjectEvent<KubernetesObject> => ({ type: "updated", old: object(old), object: object(now) });

test.each<[string, Predicate, KubernetesObject["metadata"], KubernetesObject["metadata"], boolean]>(
  [
    ["generation: the same", generationChanged, { generation: 1 }, { generation: 1 }, false],
    ["generation: another", generationChanged, { generation: 1 }, { generation: 2 }, true],
    ["generation: a kind without", generationChanged, {}, {}, false],
    ["labels: none and an empty map", labelsChanged, {}, { labels: {} }, false],
    ["labels: another value", labelsChanged, { labels: { a: "1" } }, { labels: { a: "2" } }, true],
    ["labels: another name", labelsChanged, { labels: { a: "1" } }, { labels: { b: "1" } }, true],
    ["labels: only annotations", labelsChanged, {}, { annotations: { a: "1" } }, false],
    ["annotations: one gone", annotationsChanged, { annotations: { a: "1" } }, {}, true],
    ["annotations: only labels", annotationsChanged, {}, { labels: { a: "1" } }, false],
    [
      "version: a resync",
      resourceVersionChanged,
      { resourceVersion: "1" },
      { resourceVersion: "1" },
      false,
    ],
    [
      "version: a change",
      resourceVersionChanged,
      { resourceVersion: "1" },
      { resourceVersion: "2" },
      true,
    ],
  ],
)("predicates of updates: %s", (_, predicate, old, now, expected) => {
  expect(predicate(update(old, now))).toBe(expected);
  expect(predicate({ type: "added", object: object(now), isInitial: true })).toBe(true);
  expect(predicate({ type: "deleted", object: object(now), isStale: true })).toBe(true);
});

test("predicates: by namespace, and by the new object", () => {
  const added = (namespace?: string): ObjectEvent<KubernetesObject> => ({
    type: "added",
    object: object(namespace === undefined ? {} : { namespace }),
    isInitial: false,
  });
  const predicate = inNamespaces("a", "b");
  expect(["a", "b", "c", undefined].map((name) => predicate(added(name)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const isNamed = objectsWhere(({ metadata }: KubernetesObject) => metadata.name === "x");
  expect(isNamed(update({ name: "x" }, { name: "y" }))).toBe(false);
  expect(isNamed(update({ name: "y" }, { name: "x" }))).toBe(true);
});

test("predicates: and, or, not", () => {
  const yes: Predicate = () => true;
  const no: Predicate = () => false;
  const event = update({}, {});
  expect([allOf(), allOf(yes, yes), allOf(yes, no)].map((of) => of(event))).toEqual([
    true,
    true,
    false,
  ]);
  expect([anyOf(), anyOf(no, yes), anyOf(no, no)].map((of) => of(event))).toEqual([
    false,
    true,
    false,
  ]);
  expect([not(yes), not(no)].map((of) => of(event))).toEqual([false, true]);
});
