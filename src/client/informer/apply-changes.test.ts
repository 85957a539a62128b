import { expect, test } from "vitest";
import type { KubernetesObject } from "../resource-kind.ts";
import { applyEvent, applyList, type ObjectEvent } from "./apply-changes.ts";
import type { Delta } from "./delta-queue.ts";
import { InformerCache } from "./informer-cache.ts";

/** `a1@5`: object a with uid 1 at resourceVersion 5. */
function object(text: string): KubernetesObject {
  const [, name = "", uid = "", resourceVersion = ""] = /^(\w)(\d)@(\w+)$/.exec(text) ?? [];
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, uid, resourceVersion } };
}
const textOf = ({ metadata }: KubernetesObject): string =>
  `${metadata.name}${metadata.uid}@${metadata.resourceVersion}`;
const lineOf = (delta: Delta<KubernetesObject>): string => {
  if (delta.type === "updated") return `updated ${textOf(delta.old)} to ${textOf(delta.object)}`;
  if ("objects" in delta) return delta.type;
  const isStale = delta.type === "deleted" && delta.isStale;
  return `${delta.type} ${textOf(delta.object)}${isStale ? " stale" : ""}`;
};
function cacheOf(...texts: readonly string[]): InformerCache<KubernetesObject> {
  const cache = new InformerCache<KubernetesObject>(() => {});
  for (const text of texts) cache.set(object(text));
  return cache;
}

test.each<[title: string, known: string[], event: string, deltas: string[], after: string[]]>([
  ["a new object", [], "ADDED a1@12", ["added a1@12"], ["a1@12"]],
  ["a change of an unknown object", [], "MODIFIED a1@12", ["added a1@12"], ["a1@12"]],
  ["a deletion of an unknown object", [], "DELETED a1@12", [], []],
  ["an old object that was deleted since", [], "ADDED a1@9", [], []],
  ["an object at the version of the cache", [], "ADDED a1@10", ["added a1@10"], ["a1@10"]],
  ["a change", ["a1@5"], "MODIFIED a1@12", ["updated a1@5 to a1@12"], ["a1@12"]],
  ["a change that is sent as ADDED", ["a1@5"], "ADDED a1@12", ["updated a1@5 to a1@12"], ["a1@12"]],
  ["a repetition", ["a1@5"], "MODIFIED a1@5", [], ["a1@5"]],
  ["an older version", ["a1@5"], "MODIFIED a1@4", [], ["a1@5"]],
  ["a deletion", ["a1@5"], "DELETED a1@12", ["deleted a1@12"], []],
  ["a deletion without a version of its own", ["a1@5"], "DELETED a1@5", ["deleted a1@5"], []],
  ["a deletion of the previous object of that name", ["a2@8"], "DELETED a1@7", [], ["a2@8"]],
  [
    "another object of the same name",
    ["a1@5"],
    "ADDED a2@12",
    ["deleted a1@5 stale", "added a2@12"],
    ["a2@12"],
  ],
  [
    "the deletion of another object of the same name",
    ["a1@5"],
    "DELETED a2@12",
    ["deleted a1@5 stale"],
    [],
  ],
  ["versions that are no numbers", ["a1@x"], "MODIFIED a1@y", ["updated a1@x to a1@y"], ["a1@y"]],
])("applyEvent: %s", (_, known, event, deltas, after) => {
  const cache = cacheOf(...known);
  const [type = "", text = ""] = event.split(" ");
  const delivered = applyEvent(
    cache,
    { type: type as ObjectEvent<KubernetesObject>["type"], object: object(text) },
    "10",
  );
  expect(delivered.map(lineOf)).toEqual(deltas);
  expect(cache.list().map(textOf)).toEqual(after);
});

test("applyList: deletes missing objects, adds new ones and updates those that differ", () => {
  const cache = cacheOf("a1@5", "b1@6", "c1@7", "d1@8", "e1@9");
  const same = cache.get({ name: "a" });
  const delivered = applyList(
    cache,
    new Map(
      ["a1@5", "b1@16", "c2@17", "d1@4", "f1@18"].map((text) => [text[0] ?? "", object(text)]),
    ),
  );
  expect(delivered.map(lineOf)).toEqual([
    "deleted e1@9 stale",
    "updated b1@6 to b1@16",
    "deleted c1@7 stale",
    "added c2@17",
    "updated d1@8 to d1@4",
    "added f1@18",
  ]);
  expect(cache.list().map(textOf).sort()).toEqual(["a1@5", "b1@16", "c2@17", "d1@4", "f1@18"]);
  expect(cache.get({ name: "a" })).toBe(same);
});
