import { expect, test } from "vitest";
import {
  daemonSetWith,
  namesOf,
  now,
  type PodTraits,
  podWith,
  rolling,
} from "./daemon-sets.test-support.ts";
import { planDaemonUpdate } from "./plan-daemon-update.ts";

const up: PodTraits = { ready: 20 };
const old: PodTraits = { hash: "old", ready: 20 };
const oldDown: PodTraits = { hash: "old" };

interface Row {
  readonly what: string;
  readonly update: object;
  /** The pods of each node: `n0`, `n1` and so on. */
  readonly nodes: readonly (readonly PodTraits[])[];
  /** Nodes that should have no pod any more. */
  readonly former?: readonly number[];
  /** Pods by node and place. */
  readonly deletes?: readonly string[];
  readonly creates?: readonly string[];
}

test.each<Row>([
  {
    what: "one pod may be unavailable",
    update: { maxUnavailable: 1 },
    nodes: [[old], [old]],
    deletes: ["0/0"],
  },
  {
    what: "a share is rounded up",
    update: { maxUnavailable: "30%" },
    nodes: [[old], [old], [old], [old]],
    deletes: ["0/0", "1/0"],
  },
  {
    what: "zero counts as one",
    update: { maxUnavailable: 0, maxSurge: 0 },
    nodes: [[old], [old]],
    deletes: ["0/0"],
  },
  {
    what: "a new pod that is not available counts",
    update: { maxUnavailable: 1 },
    nodes: [[{}], [old]],
  },
  {
    what: "a new pod is not available at once",
    update: { maxUnavailable: 1 },
    nodes: [[{ ready: 9 }], [old]],
  },
  { what: "a missing pod counts", update: { maxUnavailable: 1 }, nodes: [[], [old]] },
  {
    what: "a pod that is being deleted counts as missing",
    update: { maxUnavailable: 1 },
    nodes: [[{ ...old, going: true }], [old]],
  },
  {
    what: "an old pod that is unavailable goes anyway",
    update: { maxUnavailable: 1 },
    nodes: [[{}], [oldDown], [old]],
    deletes: ["1/0"],
  },
  { what: "nothing is left to do", update: { maxUnavailable: 1 }, nodes: [[up], [up]] },
  {
    what: "excess pods are left to the nodes' own plan",
    update: { maxUnavailable: 2 },
    nodes: [[old, old], [old]],
    deletes: ["1/0"],
  },
  {
    what: "a surge creates before it deletes",
    update: { maxSurge: 1 },
    nodes: [[old], [old]],
    creates: ["n0"],
  },
  { what: "a surge waits for its new pod", update: { maxSurge: 1 }, nodes: [[old, {}], [old]] },
  {
    what: "the old pod goes once the new one is available",
    update: { maxSurge: 1 },
    nodes: [[old, up], [old]],
    deletes: ["0/0"],
    creates: ["n1"],
  },
  {
    what: "an old pod that is unavailable is no reason to wait",
    update: { maxSurge: 1 },
    nodes: [[old, {}], [oldDown]],
    creates: ["n1"],
  },
  {
    what: "an old pod on a former node stays until enough others are available",
    update: { maxSurge: 1 },
    nodes: [[old], []],
    former: [0],
  },
  {
    what: "and goes then",
    update: { maxSurge: 1 },
    nodes: [[old], [up]],
    former: [0],
    deletes: ["0/0"],
  },
  {
    what: "an unavailable pod on a former node goes at once",
    update: { maxSurge: 1 },
    nodes: [[oldDown], []],
    former: [0],
    deletes: ["0/0"],
  },
])("planDaemonUpdate: $what", ({ update, nodes, former = [], deletes = [], creates = [] }) => {
  const plan = planDaemonUpdate({
    daemonSet: daemonSetWith(rolling(update)),
    hash: "new",
    nodes: nodes.map((pods, i) => ({
      name: `n${i}`,
      shouldRun: !former.includes(i),
      pods: pods.map((traits, j) => podWith(`${i}/${j}`, traits)),
    })),
    now,
  });
  expect({ deletes: namesOf(plan.deletes), creates: plan.creates }).toEqual({ deletes, creates });
});
