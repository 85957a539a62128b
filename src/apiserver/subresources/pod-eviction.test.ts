import { expect, test } from "vitest";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import {
  addressOf,
  context,
  coreKind,
  openParts,
  resources,
  type TestParts,
  withStore,
  write,
} from "../verbs/verb-parts.test-support.ts";
import { evict } from "./pod-eviction.ts";

const pods = coreKind("Pod");
const budgets = resources.find("policy", "v1", "poddisruptionbudgets") as AnyKind;
const [pod, budget] = [addressOf(pods, "a"), addressOf(budgets, "b")];

const ready = (status: string) => ({
  phase: "Running",
  conditions: [{ type: "Ready", status, lastProbeTime: null, lastTransitionTime: null }],
});

interface World {
  readonly status?: object;
  readonly metadata?: object;
  readonly budget?: object;
  readonly spec?: object;
}

/** A pod on a node, and a budget for it that was seen by its controller. */
async function openWorld({ status = ready("True"), metadata, budget: more, spec }: World = {}) {
  const parts = await openParts();
  await write(parts, pods, "a", {
    metadata: { uid: "u", labels: { app: "a" }, ...metadata },
    spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    status,
  });
  const counts = { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
  await write(parts, budgets, "b", {
    metadata: { generation: 2 },
    spec: { selector: { matchLabels: { app: "a" } }, ...spec },
    status: { observedGeneration: 2, ...counts, ...more },
  });
  return parts;
}

/** Evicts the pod; the outcome, whether the pod still exists, and the disruptions still allowed. */
async function evicted(parts: TestParts, deleteOptions?: object) {
  const draft = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "a" },
    ...(deleteOptions && { deleteOptions }),
  } as ObjectDraft;
  const outcome = await evict(parts, pod, { draft, dryRun: [], context: context() }).then(
    () => "evicted",
    (error: unknown) => {
      if (!(error instanceof StatusError)) throw error;
      const { code, message, details } = error;
      return [code, details?.causes?.[0]?.message ?? message, details?.retryAfterSeconds];
    },
  );
  const left = await parts.reader.find(pod);
  const status = (await parts.reader.find(budget))?.object.status as Record<string, unknown>;
  const isThere = left && !left.object.metadata.deletionTimestamp;
  return { outcome, isThere: !!isThere, allowed: status.disruptionsAllowed ?? 0 };
}

const gone = (allowed: number) => ({ outcome: "evicted", isThere: false, allowed });
const stays = (...outcome: readonly [number, string, number?]) => ({
  outcome: [outcome[0], outcome[1], outcome[2]],
  isThere: true,
});

test.each([
  ["evicting a ready pod takes a disruption from the budget", {}, gone(0)],
  [
    "a budget that allows no disruption rejects the eviction",
    { budget: { disruptionsAllowed: 0, currentHealthy: 1 } },
    stays(429, "The disruption budget b needs 1 healthy pods and has 1 currently"),
  ],
  [
    "a budget that the controller has not observed rejects the eviction",
    { budget: { observedGeneration: 1 } },
    stays(429, "The disruption budget b is still being processed by the server.", 10),
  ],
  [
    "a negative number of disruptions rejects the eviction",
    { budget: { disruptionsAllowed: -1 } },
    stays(403, 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative'),
  ],
  ["evicting a pod that is not ready takes no disruption", { status: ready("False") }, gone(1)],
  [
    "a pod that is not ready is not evicted if too few pods are healthy",
    { status: ready("False"), budget: { disruptionsAllowed: 0, currentHealthy: 0 } },
    stays(429, "The disruption budget b needs 1 healthy pods and has 0 currently"),
  ],
  [
    "a pod that is not ready is evicted under the policy AlwaysAllow",
    {
      status: ready("False"),
      budget: { disruptionsAllowed: 0, currentHealthy: 0 },
      spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    { ...gone(0), outcome: "evicted" },
  ],
  [
    "a pod that has ended needs no budget",
    { status: { phase: "Failed" }, budget: { disruptionsAllowed: 0 } },
    gone(0),
  ],
  [
    "a pending pod needs no budget",
    { status: { phase: "Pending" }, budget: { disruptionsAllowed: 0 } },
    gone(0),
  ],
  [
    "a pod that is being deleted needs no budget",
    {
      metadata: { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 },
      budget: { disruptionsAllowed: 0 },
    },
    gone(0),
  ],
])("evict: %s", async (_, world, wanted) => {
  expect(await evicted(await openWorld(world))).toMatchObject(wanted);
});

test("evict: the budget's status names the evicted pod", async () => {
  const parts = await openWorld();
  await evicted(parts);
  expect((await parts.reader.find(budget))?.object.status).toMatchObject({
    disruptedPods: { a: "2026-01-01T00:00:00Z" },
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
  });
});

test("evict: dryRun in the delete options changes nothing", async () => {
  const outcome = await evicted(await openWorld(), { dryRun: ["All"] });
  expect(outcome).toEqual({ outcome: "evicted", isThere: true, allowed: 1 });
});

test.each([
  [{ uid: "u" }, "evicted"],
  [
    { uid: "v" },
    [409, expect.stringContaining("the UID in the precondition (v) does not match"), undefined],
  ],
  [
    { resourceVersion: "99" },
    [
      409,
      expect.stringContaining("the ResourceVersion in the precondition (99) does not match"),
      undefined,
    ],
  ],
])("evict: with the preconditions %j", async (preconditions, outcome) => {
  expect((await evicted(await openWorld(), { preconditions })).outcome).toEqual(outcome);
});

/** The parts of a server on a store where another client writes an object before each of our first commits. */
function racing(parts: TestParts, address: typeof pod, times: number): TestParts {
  const store = Object.create(parts.reader.store) as typeof parts.reader.store;
  let left = times;
  store.commit = async (ops) => {
    const isOurs = ops.some(({ key }) => key.includes(`/${address.kind.storagePrefix}/`));
    if (isOurs && left > 0) {
      left--;
      const stored = await parts.reader.find(address);
      const object = structuredClone(stored?.object) as ObjectDraft;
      object.metadata.annotations = { left: `${left}` };
      await parts.committer.put(address, {
        object: object as never,
        ifRevision: stored?.revision ?? 0,
      });
    }
    return parts.reader.store.commit(ops);
  };
  return withStore(parts, store);
}

test.each([
  [3, "evicted"],
  [
    20,
    [
      409,
      'Operation cannot be fulfilled on poddisruptionbudgets.policy "b": the object has been modified; please apply your changes to the latest version and try again',
      undefined,
    ],
  ],
])(
  "evict: another client writes the budget %i times during the eviction",
  async (times, outcome) => {
    const parts = await openWorld();
    expect((await evicted(racing(parts, budget, times))).outcome).toEqual(outcome);
  },
);
