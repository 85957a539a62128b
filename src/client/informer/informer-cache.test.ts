import { expect, test } from "vitest";
import type { KubernetesObject } from "../resource-kind.ts";
import { InformerCache } from "./informer-cache.ts";

function object(text: string): KubernetesObject {
  const [namespace, name] = text.split("/");
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name } };
}
const cacheOf = (...texts: readonly string[]): InformerCache<KubernetesObject> => {
  const cache = new InformerCache<KubernetesObject>(() => {});
  cache.fill(new Map(texts.map((text) => [text, object(text)])));
  return cache;
};
const namesIn = (cache: InformerCache<KubernetesObject>, namespace: string) =>
  cache.list({ namespace }).map(({ metadata }) => metadata.name);

test("InformerCache: the list of a namespace is the same whether it was built before or after the changes", () => {
  const [early, late] = [cacheOf("a/1", "b/1", "a/2"), cacheOf("a/1", "b/1", "a/2")];
  expect(namesIn(early, "a")).toEqual(["1", "2"]);
  for (const cache of [early, late]) {
    cache.set(object("a/3"));
    cache.delete("a/1");
    cache.set(object("a/1"));
    cache.delete("b/1");
  }
  expect(namesIn(early, "a")).toEqual(["2", "3", "1"]);
  expect(namesIn(late, "a")).toEqual(["2", "3", "1"]);
  expect([namesIn(early, "b"), namesIn(late, "b")]).toEqual([[], []]);
});

test("InformerCache: fill adds the objects to the indexes", () => {
  const cache = cacheOf();
  cache.addIndexers({ name: ({ metadata }) => [metadata.name ?? ""] });
  cache.fill(new Map(["a/1", "b/1", "a/2"].map((text) => [text, object(text)])));
  expect([cache.size, cache.indexValues("name")]).toEqual([3, ["1", "2"]]);
  expect(cache.byIndex("name", "1").map(({ metadata }) => metadata.namespace)).toEqual(["a", "b"]);
});
