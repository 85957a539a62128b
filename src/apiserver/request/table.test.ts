import { expect, test } from "vitest";
import { configMapKind, coreKind, objectOf } from "../verbs/verb-parts.test-support.ts";
import { partial, tableOf } from "./table.ts";

const now = Date.UTC(2026, 0, 1, 0, 5);
const metadata = { creationTimestamp: "2026-01-01T00:00:00Z" };
const options = { now, includeObject: "None", version: "v1", headers: true, metadata: {} } as const;
const object = objectOf(configMapKind, "a", { metadata, data: { k: "v", l: "w" } });

test("tableOf: columns come from the kind, with what clients need to show them", () => {
  expect(tableOf(configMapKind, [object], options)).toEqual({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    columnDefinitions: [
      {
        name: "Name",
        type: "string",
        format: "name",
        description: expect.any(String),
        priority: 0,
      },
      { name: "Data", type: "string", format: "", description: expect.any(String), priority: 0 },
      { name: "Age", type: "string", format: "", description: expect.any(String), priority: 0 },
    ],
    rows: [{ cells: ["a", 2, "5m"], object: null }],
  });
});

test("tableOf: after the first table of a watch there are no columns", () => {
  expect(tableOf(configMapKind, [], { ...options, headers: false })).toMatchObject({
    columnDefinitions: [],
    rows: [],
  });
});

test("tableOf: columns for wide output have a lower priority", () => {
  const table = tableOf(coreKind("Node"), [], options) as {
    columnDefinitions: { name: string; priority: number }[];
  };
  const wide = table.columnDefinitions.filter(({ priority }) => priority === 1);
  expect(wide.map(({ name }) => name)).toContain("Internal-IP");
});

test.each([
  ["None", null],
  ["Metadata", partial(object, "v1beta1", configMapKind)],
  ["Object", object],
] as const)("tableOf: %s is what a row carries of its object", (includeObject, wanted) => {
  const table = tableOf(configMapKind, [object], { ...options, includeObject, version: "v1beta1" });
  expect(table).toMatchObject({ apiVersion: "meta.k8s.io/v1beta1", rows: [{ object: wanted }] });
});

test("tableOf: a pod that has ended says so in its row", () => {
  const pod = objectOf(coreKind("Pod"), "p", {
    metadata,
    spec: { containers: [{ name: "c" }] },
    status: { phase: "Succeeded" },
  });
  expect(tableOf(coreKind("Pod"), [pod], options)).toMatchObject({
    rows: [{ conditions: [{ type: "Completed", status: "True", reason: "Succeeded" }] }],
  });
});

test("partial: the metadata as an object of its own", () => {
  expect(partial(object, "v1", configMapKind)).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: object.metadata,
  });
});

test("partial: annotations that upstream holds as fields are not shown", () => {
  const annotated = objectOf(configMapKind, "a", { metadata: { annotations: { a: "1", b: "2" } } });
  const shown = (...fieldAnnotations: readonly string[]) =>
    (partial(annotated, "v1", { fieldAnnotations }) as typeof annotated).metadata.annotations;
  expect([shown(), shown("a"), shown("a", "b")]).toEqual([
    { a: "1", b: "2" },
    { b: "2" },
    undefined,
  ]);
});
