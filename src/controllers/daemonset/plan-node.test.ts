import { expect, test } from "vitest";
import { namesOf, now, type PodTraits, podWith } from "./daemon-sets.test-support.ts";
import { planNode } from "./plan-node.ts";

interface Row {
  readonly what: string;
  readonly pods: readonly PodTraits[];
  readonly surges?: boolean;
  readonly placement?: "run" | "stay" | "go";
  /** Pods by their place among those given. */
  readonly expected: {
    readonly creates?: true;
    readonly excess?: readonly number[];
    readonly failed?: readonly number[];
    readonly succeeded?: readonly number[];
  };
}

test.each<Row>([
  { what: "an empty node gets a pod", pods: [], expected: { creates: true } },
  {
    what: "an empty node that only keeps pods gets none",
    pods: [],
    placement: "stay",
    expected: {},
  },
  { what: "one pod is enough", pods: [{}], expected: {} },
  {
    what: "a pod on a node that only keeps pods stays",
    pods: [{}],
    placement: "stay",
    expected: {},
  },
  {
    what: "all pods leave a node",
    pods: [{}, { phase: "Failed" }],
    placement: "go",
    expected: { excess: [0, 1] },
  },
  { what: "a pod that is being deleted is waited for", pods: [{ going: true }], expected: {} },
  {
    what: "a surging update does not wait for it",
    pods: [{ going: true }],
    surges: true,
    expected: { creates: true },
  },
  {
    what: "the oldest pod is kept",
    pods: [{ age: 5 }, { age: 10 }, { age: 1 }],
    expected: { excess: [0, 2] },
  },
  {
    what: "a pod with a node is kept before an older one",
    pods: [{ age: 10, node: "" }, { age: 5 }],
    expected: { excess: [0] },
  },
  { what: "a failed pod is replaced", pods: [{ phase: "Failed" }], expected: { failed: [0] } },
  {
    what: "a succeeded pod is replaced",
    pods: [{ phase: "Succeeded" }, {}],
    expected: { succeeded: [0] },
  },
  {
    what: "an old and a new pod share a node during a surge",
    pods: [{ hash: "old", ready: 20 }, { ready: 5 }],
    surges: true,
    expected: {},
  },
  {
    what: "the old pod goes once the new one is available",
    pods: [{ hash: "old", ready: 20 }, { ready: 10 }],
    surges: true,
    expected: { excess: [0] },
  },
  {
    what: "the old pod goes if it is not ready",
    pods: [{ hash: "old" }, {}],
    surges: true,
    expected: { excess: [0] },
  },
  {
    what: "a third pod goes",
    pods: [{ hash: "old", ready: 20, age: 9 }, { age: 8 }, { age: 7 }, { hash: "old", age: 6 }],
    surges: true,
    expected: { excess: [2, 3] },
  },
])("planNode: $what", ({ pods, surges = false, placement = "run", expected }) => {
  const all = pods.map((traits, i) => podWith(`p${i}`, traits));
  const plan = planNode({
    placement: { shouldRun: placement === "run", mayStay: placement !== "go" },
    pods: all,
    surges,
    hash: "new",
    minReadySeconds: 10,
    now,
  });
  const { creates = false, excess = [], failed = [], succeeded = [] } = expected;
  const names = (places: readonly number[]) => places.map((i) => `p${i}`);
  expect({
    ...plan,
    excess: namesOf(plan.excess),
    failed: namesOf(plan.failed),
    succeeded: namesOf(plan.succeeded),
  }).toEqual({
    creates,
    excess: names(excess),
    failed: names(failed),
    succeeded: names(succeeded),
  });
});
