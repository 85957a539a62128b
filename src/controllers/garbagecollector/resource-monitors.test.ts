import { expect, test } from "vitest";
import { slimMetadata } from "./resource-monitors.ts";

const object = () => ({
  apiVersion: "meta.k8s.io/v1",
  kind: "PartialObjectMetadata",
  metadata: {
    name: "a",
    uid: "u",
    resourceVersion: "5",
    labels: { app: "web" },
    finalizers: ["wait"],
  },
});

test("slimMetadata: keeps what the graph is made of", () => {
  const { metadata } = slimMetadata(object());
  expect(metadata).toEqual({ name: "a", uid: "u", resourceVersion: "5", finalizers: ["wait"] });
});

test("slimMetadata: what a server in the same process keeps anyway is not copied", () => {
  const shared = object();
  Object.freeze(shared.metadata);
  expect(slimMetadata(shared)).toBe(shared);
});
