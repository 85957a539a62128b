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

/** What is said to who evicts the pod, and what is left of it and of the budget. */
async function evicted(parts: TestParts, deleteOptions?: object) {
  const draft = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name: "a" },
    ...(deleteOptions && { deleteOptions }),
  } as ObjectDraft;
  const said = await evict(parts, pod, { draft, dryRun: [], context: context() }).then(
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
  return { said, isThere: !!isThere, allowed: status.disruptionsAllowed ?? 0 };
}

const gone = (allowed: number) => ({ said: "evicted", isThere: false, allowed });
const stays = (...said: readonly [number, string, number?]) => ({
  said: [said[0], said[1], said[2]],
  isThere: true,
});

test.each([
  ["a pod that is ready costs a disruption", {}, gone(0)],
  [
    "none is allowed",
    { budget: { disruptionsAllowed: 0, currentHealthy: 1 } },
    stays(429, "The disruption budget b needs 1 healthy pods and has 1 currently"),
  ],
  [
    "the controller has not seen the budget",
    { budget: { observedGeneration: 1 } },
    stays(429, "The disruption budget b is still being processed by the server.", 10),
  ],
  [
    "too many are under way",
    { budget: { disruptionsAllowed: -1 } },
    stays(403, 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative'),
  ],
  ["a pod that is not ready costs nothing", { status: ready("False") }, gone(1)],
  [
    "a pod that is not ready counts where too few are",
    { status: ready("False"), budget: { disruptionsAllowed: 0, currentHealthy: 0 } },
    stays(429, "The disruption budget b needs 1 healthy pods and has 0 currently"),
  ],
  [
    "unless the budget always lets those go",
    {
      status: ready("False"),
      budget: { disruptionsAllowed: 0, currentHealthy: 0 },
      spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" },
    },
    { ...gone(0), said: "evicted" },
  ],
  [
    "a pod that has ended",
    { status: { phase: "Failed" }, budget: { disruptionsAllowed: 0 } },
    gone(0),
  ],
  [
    "a pod that has not begun",
    { status: { phase: "Pending" }, budget: { disruptionsAllowed: 0 } },
    gone(0),
  ],
  [
    "a pod that is being deleted",
    {
      metadata: { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 },
      budget: { disruptionsAllowed: 0 },
    },
    gone(0),
  ],
])("evict: %s", async (_, world, wanted) => {
  expect(await evicted(await openWorld(world))).toMatchObject(wanted);
});

test("evict: a budget notes the pod that is about to go", async () => {
  const parts = await openWorld();
  await evicted(parts);
  expect((await parts.reader.find(budget))?.object.status).toMatchObject({
    disruptedPods: { a: "2026-01-01T00:00:00Z" },
    conditions: [{ type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" }],
  });
});

test("evict: a dry run that the options ask for changes nothing", async () => {
  const outcome = await evicted(await openWorld(), { dryRun: ["All"] });
  expect(outcome).toEqual({ said: "evicted", isThere: true, allowed: 1 });
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
])("evict: with the preconditions %j", async (preconditions, said) => {
  expect((await evicted(await openWorld(), { preconditions })).said).toEqual(said);
});

/** The parts of a server on a store where another client writes an object just before our commits, so often. */
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
])("evict: a budget that somebody else writes %i times meanwhile", async (times, said) => {
  const parts = await openWorld();
  expect((await evicted(racing(parts, budget, times))).said).toEqual(said);
});
