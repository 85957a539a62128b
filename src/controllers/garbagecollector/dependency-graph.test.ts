import { describe, expect, test } from "vitest";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { DependencyGraph, type GraphEffect, type GraphEvent } from "./dependency-graph.ts";
import type { GraphObject } from "./graph-node.ts";
import type { ObjectReference } from "./object-reference.ts";

const reference = (uid: string, changes: Partial<ObjectReference> = {}): ObjectReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  namespace: "ns",
  name: uid,
  uid,
  ...changes,
});
const owner = (uid: string, changes: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  ...changes,
});
type Changes = Partial<Omit<GraphObject, "reference">> & Partial<ObjectReference>;
const object = (uid: string, changes: Changes = {}): GraphObject => {
  const { owners = [], isBeingDeleted = false, finalizers = [], ...rest } = changes;
  return { reference: reference(uid, rest), owners, isBeingDeleted, finalizers };
};
const seen = (uid: string, changes?: Changes, old?: Changes): GraphEvent => ({
  type: "seen",
  object: object(uid, changes),
  ...(old && { old: object(uid, old) }),
});
const gone = (uid: string, changes?: Partial<ObjectReference>): GraphEvent => ({
  type: "gone",
  reference: reference(uid, changes),
});
const absent = (uid: string, changes?: Partial<ObjectReference>): GraphEvent => ({
  type: "absent",
  reference: reference(uid, changes),
});

/** `delete b` for what is to be attempted, `delete b as other` where its name is not its uid. */
function text(effect: GraphEffect): string {
  if (effect.type === "remember") return `remember ${named(effect.absent)}`;
  if (effect.type === "warn") return `warn ${named(effect.node)} of ${named(effect.owner)}`;
  return `${effect.type} ${named(effect.node)}`;
}
const named = ({ uid, name, kind, namespace }: ObjectReference): string =>
  [
    uid,
    ...(name === uid ? [] : [`as ${name}`]),
    ...(kind === "ConfigMap" ? [] : [kind]),
    ...(namespace === "ns" ? [] : [`in ${namespace || "none"}`]),
  ].join(" ");

/** Every node with its dependents: `a* < b c`, where the star says that it was never seen. */
const shown = (graph: DependencyGraph): readonly string[] =>
  [...graph.nodes()]
    .map((node) => {
      const dependents = [...(node.dependents ?? [])].map(({ uid }) => uid);
      const states = `${node.isVirtual ? "*" : ""}${node.isDeletingDependents ? "!" : ""}`;
      return [`${named(node)}${states}`, ...(dependents.length > 0 ? ["<", ...dependents] : [])];
    })
    .map((words) => words.join(" "))
    .sort();

const blocking = { blockOwnerDeletion: true };
const ofA = { owners: [owner("a", blocking)] };
const deleting = (finalizer: string) => ({ isBeingDeleted: true, finalizers: [finalizer] });

/** What there was before, what happens, what follows from that, and what there is then. */
const cases: readonly {
  readonly name: string;
  readonly before?: readonly GraphEvent[];
  readonly event: GraphEvent;
  readonly effects: readonly string[];
  readonly after: readonly string[];
}[] = [
  {
    name: "an object without owners is just there",
    event: seen("a"),
    effects: [],
    after: ["a"],
  },
  {
    name: "an owner that was never seen is to be looked for",
    event: seen("b", ofA),
    effects: ["delete a"],
    after: ["a* < b", "b"],
  },
  {
    name: "an owner that was seen before is not",
    before: [seen("a")],
    event: seen("b", ofA),
    effects: [],
    after: ["a < b", "b"],
  },
  {
    name: "an owner that is seen after its dependents is seen",
    before: [seen("b", ofA)],
    event: seen("a"),
    effects: [],
    after: ["a < b", "b"],
  },
  {
    name: "who has an owner that goes is attempted, and that it is gone need not be asked",
    before: [seen("a"), seen("b", ofA), seen("c", ofA)],
    event: gone("a"),
    effects: ["remember a", "delete b", "delete c"],
    after: ["b", "c"],
  },
  {
    name: "who had no dependents goes without a word",
    before: [seen("a")],
    event: gone("a"),
    effects: [],
    after: [],
  },
  {
    name: "an owner that waits is attempted when a dependent goes",
    before: [seen("a", deleting("foregroundDeletion")), seen("b", ofA)],
    event: gone("b"),
    effects: ["delete a"],
    after: ["a!"],
  },
  {
    name: "an owner that does not wait is not",
    before: [seen("a"), seen("b", ofA)],
    event: gone("b"),
    effects: [],
    after: ["a"],
  },
  {
    name: "of what was never there nothing follows",
    event: gone("a"),
    effects: [],
    after: [],
  },
  {
    name: "an owner that is added is linked, and one that is removed is not any more",
    before: [seen("a"), seen("b", ofA)],
    event: seen("b", { owners: [owner("c")] }, ofA),
    effects: ["delete a", "delete c"],
    after: ["a", "b", "c* < b"],
  },
  {
    name: "an owner is unblocked by who blocks it no longer",
    before: [seen("a"), seen("b", ofA)],
    event: seen("b", { owners: [owner("a", { blockOwnerDeletion: false })] }, ofA),
    effects: ["delete a"],
    after: ["a < b", "b"],
  },
  {
    name: "an owner is not unblocked by who never blocked it",
    before: [seen("a"), seen("b", { owners: [owner("a")] })],
    event: seen("b", {}, { owners: [owner("a")] }),
    effects: [],
    after: ["a", "b"],
  },
  {
    name: "orphaning begins with the deletion",
    before: [seen("a"), seen("b", ofA)],
    event: seen("a", deleting("orphan"), {}),
    effects: ["orphan a"],
    after: ["a < b", "b"],
  },
  {
    name: "orphaning begins once",
    before: [seen("a"), seen("a", deleting("orphan"), {})],
    event: seen("a", deleting("orphan"), deleting("orphan")),
    effects: [],
    after: ["a"],
  },
  {
    name: "a finalizer alone is no deletion",
    before: [seen("a")],
    event: seen("a", { finalizers: ["foregroundDeletion"] }, {}),
    effects: [],
    after: ["a"],
  },
  {
    name: "a deletion in the foreground attempts all dependents, and the owner",
    before: [seen("a"), seen("b", ofA), seen("c", ofA)],
    event: seen("a", deleting("foregroundDeletion"), {}),
    effects: ["delete b", "delete c", "delete a"],
    after: ["a! < b c", "b", "c"],
  },
  {
    name: "a deletion that was under way when it was first seen goes on",
    before: [seen("b", ofA)],
    event: seen("a", deleting("foregroundDeletion")),
    effects: ["delete b", "delete a"],
    after: ["a! < b", "b"],
  },
  {
    name: "a dependent in another namespace than its owner is warned of, and attempted",
    before: [seen("a")],
    event: seen("b", { ...ofA, namespace: "other" }),
    effects: ["warn b in other of a in other", "delete b in other"],
    after: ["a < b", "b in other"],
  },
  {
    name: "the same when the owner is seen after it",
    before: [seen("b", { ...ofA, namespace: "other" })],
    event: seen("a"),
    effects: ["warn b in other of a in other", "delete b in other"],
    after: ["a < b", "b in other"],
  },
  {
    name: "an owner without a namespace is everybody's",
    before: [seen("a", { namespace: "" })],
    event: seen("b", { ...ofA, namespace: "other" }),
    effects: [],
    after: ["a in none < b", "b in other"],
  },
  {
    name: "who calls an owner by another name is attempted, without a warning",
    before: [seen("a")],
    event: seen("b", { owners: [owner("a", { kind: "Secret" })] }),
    effects: ["delete b"],
    after: ["a < b", "b"],
  },
  {
    name: "who calls an owner otherwise that is seen later, too; who is right is not",
    before: [seen("b", { owners: [owner("a", { name: "x" })] }), seen("c", ofA)],
    event: seen("a"),
    effects: ["delete b"],
    after: ["a < b c", "b", "c"],
  },
  {
    name: "something without a namespace may be wrong about an owner that nobody has seen",
    before: [seen("b", { ...ofA, namespace: "" })],
    event: seen("c", ofA),
    effects: ["delete c"],
    after: ["a in none* < b c", "b in none", "c"],
  },
  {
    name: "an owner that is not there is forgotten",
    before: [seen("b", ofA)],
    event: absent("a"),
    effects: ["remember a", "delete b"],
    after: ["b"],
  },
  {
    name: "where dependents name it differently, the next name is tried",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] })],
    event: absent("a"),
    effects: ["remember a", "delete b", "deleteLater a Secret"],
    after: ["a Secret* < b c", "b", "c"],
  },
  {
    name: "a name that was tried already leads to no other",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] }), absent("a")],
    event: absent("a"),
    effects: ["remember a", "delete b"],
    after: ["a Secret* < b c", "b", "c"],
  },
  {
    name: "after the last name comes the first",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] }), absent("a")],
    event: absent("a", { kind: "Secret" }),
    effects: ["remember a Secret", "delete c", "deleteLater a"],
    after: ["a* < b c", "b", "c"],
  },
  {
    name: "what was seen stays, whatever is not there by another name",
    before: [seen("a"), seen("b", ofA), seen("c", { owners: [owner("a", { name: "x" })] })],
    event: absent("a", { name: "x" }),
    effects: ["remember a as x", "delete c"],
    after: ["a < b c", "b", "c"],
  },
  {
    name: "what was seen and is not there any more is gone",
    before: [seen("a"), seen("b", ofA)],
    event: absent("a"),
    effects: ["remember a", "delete b"],
    after: ["b"],
  },
  {
    name: "an object can be its own owner",
    event: seen("a", ofA),
    effects: [],
    after: ["a < a"],
  },
];

describe("what follows from an event", () => {
  test.each(cases)("$name", ({ before = [], event, effects, after }) => {
    const graph = new DependencyGraph();
    for (const one of before) graph.apply(one);
    expect([graph.apply(event).map(text), shown(graph)]).toEqual([effects, after]);
  });
});

test("queued items of a replaced node are ignored", () => {
  const graph = new DependencyGraph();
  const [first] = graph.apply(seen("b", { owners: [owner("a", { name: "x" })] }));
  const virtual = first && "node" in first ? first.node : undefined;
  expect(graph.get("a")).toBe(virtual);
  graph.apply(seen("a"));
  expect(graph.get("a")).not.toBe(virtual);
});
