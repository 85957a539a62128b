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
    name: "an object without owners needs no action",
    event: seen("a"),
    effects: [],
    after: ["a"],
  },
  {
    name: "an owner that was never observed is attempted",
    event: seen("b", ofA),
    effects: ["delete a"],
    after: ["a* < b", "b"],
  },
  {
    name: "an owner that was observed is not attempted",
    before: [seen("a")],
    event: seen("b", ofA),
    effects: [],
    after: ["a < b", "b"],
  },
  {
    name: "a virtual owner becomes real when it is observed",
    before: [seen("b", ofA)],
    event: seen("a"),
    effects: [],
    after: ["a < b", "b"],
  },
  {
    name: "dependents of a deleted owner are attempted, and the owner is remembered as absent",
    before: [seen("a"), seen("b", ofA), seen("c", ofA)],
    event: gone("a"),
    effects: ["remember a", "delete b", "delete c"],
    after: ["b", "c"],
  },
  {
    name: "the deletion of an object without dependents has no effect",
    before: [seen("a")],
    event: gone("a"),
    effects: [],
    after: [],
  },
  {
    name: "a waiting owner is attempted when a dependent is deleted",
    before: [seen("a", deleting("foregroundDeletion")), seen("b", ofA)],
    event: gone("b"),
    effects: ["delete a"],
    after: ["a!"],
  },
  {
    name: "an owner that does not wait for dependents is not attempted",
    before: [seen("a"), seen("b", ofA)],
    event: gone("b"),
    effects: [],
    after: ["a"],
  },
  {
    name: "the deletion of an unknown object has no effect",
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
    name: "an owner is unblocked by a dependent that stops blocking",
    before: [seen("a"), seen("b", ofA)],
    event: seen("b", { owners: [owner("a", { blockOwnerDeletion: false })] }, ofA),
    effects: ["delete a"],
    after: ["a < b", "b"],
  },
  {
    name: "an owner is not unblocked by a dependent that never blocked it",
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
    name: "a deletion that began before the object was observed continues",
    before: [seen("b", ofA)],
    event: seen("a", deleting("foregroundDeletion")),
    effects: ["delete b", "delete a"],
    after: ["a! < b", "b"],
  },
  {
    name: "a dependent in another namespace than its owner is attempted, with a warning",
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
    name: "a cluster-scoped owner may own objects of every namespace",
    before: [seen("a", { namespace: "" })],
    event: seen("b", { ...ofA, namespace: "other" }),
    effects: [],
    after: ["a in none < b", "b in other"],
  },
  {
    name: "a dependent with another identity of its owner is attempted, without a warning",
    before: [seen("a")],
    event: seen("b", { owners: [owner("a", { kind: "Secret" })] }),
    effects: ["delete b"],
    after: ["a < b", "b"],
  },
  {
    name: "the same if the owner is observed later; a dependent with the right identity is not attempted",
    before: [seen("b", { owners: [owner("a", { name: "x" })] }), seen("c", ofA)],
    event: seen("a"),
    effects: ["delete b"],
    after: ["a < b c", "b", "c"],
  },
  {
    name: "a cluster-scoped object may refer to a namespaced owner that was never observed",
    before: [seen("b", { ...ofA, namespace: "" })],
    event: seen("c", ofA),
    effects: ["delete c"],
    after: ["a in none* < b c", "b in none", "c"],
  },
  {
    name: "an absent owner is removed",
    before: [seen("b", ofA)],
    event: absent("a"),
    effects: ["remember a", "delete b"],
    after: ["b"],
  },
  {
    name: "if dependents use another identity, that one is tried next",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] })],
    event: absent("a"),
    effects: ["remember a", "delete b", "deleteLater a Secret"],
    after: ["a Secret* < b c", "b", "c"],
  },
  {
    name: "an identity that was tried already is not tried again",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] }), absent("a")],
    event: absent("a"),
    effects: ["remember a", "delete b"],
    after: ["a Secret* < b c", "b", "c"],
  },
  {
    name: "after the last identity, the first is tried again",
    before: [seen("b", ofA), seen("c", { owners: [owner("a", { kind: "Secret" })] }), absent("a")],
    event: absent("a", { kind: "Secret" }),
    effects: ["remember a Secret", "delete c", "deleteLater a"],
    after: ["a* < b c", "b", "c"],
  },
  {
    name: "an observed object stays, although another identity is absent",
    before: [seen("a"), seen("b", ofA), seen("c", { owners: [owner("a", { name: "x" })] })],
    event: absent("a", { name: "x" }),
    effects: ["remember a as x", "delete c"],
    after: ["a < b c", "b", "c"],
  },
  {
    name: "an observed object that is absent is removed",
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
