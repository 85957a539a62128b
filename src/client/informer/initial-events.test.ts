import { expect, test } from "vitest";
import type { KubernetesObject } from "../resource-kind.ts";
import type { WatchEvent } from "../watch-stream.ts";
import { InitialEvents, StreamingListUnsupported } from "./initial-events.ts";

/** `ADDED a@5`, `BOOKMARK 5`, or `END 5` for the final bookmark. */
function event(text: string): WatchEvent<KubernetesObject> {
  const [, type = "", name = "", resourceVersion = ""] = /^(\w+) (?:(\w)@)?(\d+)$/.exec(text) ?? [];
  const isEnd = type === "END";
  const annotations = isEnd ? { "k8s.io/initial-events-end": "true" } : undefined;
  const metadata = { name, resourceVersion, annotations };
  return {
    type: isEnd ? "BOOKMARK" : type,
    object: { apiVersion: "v1", kind: "ConfigMap", metadata },
  } as WatchEvent<KubernetesObject>;
}

test.each<[title: string, events: string[], objects: string[]]>([
  ["objects", ["ADDED a@5", "ADDED b@3"], ["a@5", "b@3"]],
  ["a change among them", ["ADDED a@5", "MODIFIED a@7"], ["a@7"]],
  ["a change that comes before what is older", ["MODIFIED a@7", "ADDED a@5"], ["a@7"]],
  ["a deletion", ["ADDED a@5", "DELETED a@7"], []],
  ["a deletion that comes before what was deleted", ["DELETED a@7", "ADDED a@5"], []],
  ["one that was created anew", ["ADDED a@5", "DELETED a@7", "ADDED a@9"], ["a@9"]],
])("InitialEvents: %s", (_, events, objects) => {
  const initial = new InitialEvents<KubernetesObject>((object) => object);
  expect(initial.take(events.map(event))).toBe(undefined);
  expect(initial.take(["END 10", "ADDED c@11"].map(event))).toMatchObject([{ type: "ADDED" }]);
  expect(
    Array.from(initial.objects, ([key, { metadata }]) => `${key}@${metadata.resourceVersion}`),
  ).toEqual(objects);
  expect(initial.version).toBe("10");
});

test("InitialEvents: a bookmark without the end annotation means an ordinary watch", () => {
  const initial = new InitialEvents<KubernetesObject>((object) => object);
  expect(() => initial.take([event("BOOKMARK 5")])).toThrow(StreamingListUnsupported);
});
