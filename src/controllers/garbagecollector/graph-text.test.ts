import { expect, test } from "vitest";
import { DependencyGraph } from "./dependency-graph.ts";
import { graphText } from "./graph-text.ts";

interface Given {
  readonly apiVersion?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly owners?: readonly string[];
  readonly finalizers?: readonly string[];
}

function graphOf(objects: Readonly<Record<string, Given>>): DependencyGraph {
  const graph = new DependencyGraph();
  for (const [uid, given] of Object.entries(objects)) {
    const { apiVersion = "v1", namespace = "ns", name = uid, finalizers = [] } = given;
    const owners = (given.owners ?? []).map((one) => ({
      apiVersion: objects[one]?.apiVersion ?? "v1",
      kind: "Thing",
      name: one,
      uid: one,
    }));
    const reference = { apiVersion, kind: "Thing", namespace, name, uid };
    const isBeingDeleted = finalizers.length > 0;
    graph.apply({ type: "seen", object: { reference, owners, finalizers, isBeingDeleted } });
  }
  return graph;
}

test("a single object without references is an empty graph", () => {
  expect(graphText(graphOf({ a: {} }))).toBe("strict digraph full {\n}\n");
});

test("objects are nodes with their attributes, and references are edges", () => {
  const graph = graphOf({
    b: { apiVersion: "apps/v1", owners: ["a"], namespace: "", name: 'say "hé\\"' },
    a: { finalizers: ["foregroundDeletion"] },
  });
  expect(graphText(graph)).toBe(`strict digraph full {
  // Node definitions.
  "a" [
    label="uid=a\\nnamespace=ns\\nThing.v1/a\\nbeingDeleted,deletingDependents\\n"
    group=""
    version="v1"
    kind="Thing"
    namespace="ns"
    name="a"
    uid="a"
    missing="false"
    beingDeleted="true"
    deletingDependents="true"
    virtual="false"
  ];
  "b" [
    label="uid=b\\nnamespace=\\nThing.v1.apps/say \\"hé\\\\\\"\\n"
    group="apps"
    version="v1"
    kind="Thing"
    namespace=""
    name="say \\"hé\\\\\\""
    uid="b"
    missing="false"
    beingDeleted="false"
    deletingDependents="false"
    virtual="false"
  ];
  // Edge definitions.
  "b" -> "a";
}
`);
});

test("owners that were never observed are virtual nodes, and deleted ones are missing", () => {
  const graph = graphOf({ b: { owners: ["a"] } });
  expect(graphText(graph)).toContain('uid="a"\n    missing="false"');
  expect(graphText(graph)).toContain('virtual="true"');
  const reference = { apiVersion: "v1", kind: "Thing", namespace: "ns", name: "a", uid: "a" };
  graph.apply({ type: "gone", reference });
  expect(graphText(graph)).toContain(
    'label="uid=a\\nnamespace=\\nThing.v1/a\\nmissingFromGraph\\n"',
  );
  expect(graphText(graph)).toContain('"b" -> "a";');
});

test("for a uid, only connected objects are shown", () => {
  const graph = graphOf({
    alpha: { owners: ["bravo", "charlie"] },
    bravo: {},
    charlie: {},
    delta: { owners: ["foxtrot"] },
    foxtrot: { owners: ["golf"] },
    golf: {},
  });
  const edges = (uids?: string[]) => graphText(graph, uids).match(/".*" -> ".*"/g);
  expect(edges()).toEqual([
    '"alpha" -> "bravo"',
    '"alpha" -> "charlie"',
    '"delta" -> "foxtrot"',
    '"foxtrot" -> "golf"',
  ]);
  expect(edges(["golf", "none"])).toEqual(['"delta" -> "foxtrot"', '"foxtrot" -> "golf"']);
  expect(edges(["none"])).toBeNull();
});
