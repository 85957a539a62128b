import { expect, test } from "vitest";
import { convergenceSeeds as seeds } from "../../test/seeds.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { keyOf } from "../client/resource-kind.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import { converge } from "./convergence.test-support.ts";
import { binderCase } from "./convergence-binder.test-support.ts";
import { cronJobCase } from "./convergence-cronjob.test-support.ts";
import { daemonSetCase } from "./convergence-daemonset.test-support.ts";
import { deploymentCase } from "./convergence-deployment.test-support.ts";
import { jobCase } from "./convergence-job.test-support.ts";
import { replicaSetCase } from "./convergence-replicaset.test-support.ts";
import { statefulSetCase } from "./convergence-statefulset.test-support.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";

const cases = [
  deploymentCase,
  replicaSetCase,
  binderCase,
  jobCase,
  cronJobCase,
  daemonSetCase,
  statefulSetCase,
];

test.each(cases)(
  "$name: from any state, through any faults, it comes to what is declared, once, and is quiet",
  async (one) => {
    const problems: string[] = [];
    let faults = 0;
    for (let seed = 1; seed <= seeds; seed++) {
      const figures = await converge(one, seed);
      faults += figures.faults;
      problems.push(...figures.problems.map((problem) => `seed ${seed}: ${problem}`));
    }
    expect(problems).toEqual([]);
    expect(faults).toBeGreaterThan(seeds);
  },
  300_000,
);

test.each(cases)("$name: a seed leads to one end", async (one) => {
  const [first, again, other] = [
    await converge(one, 3),
    await converge(one, 3),
    await converge(one, 4),
  ];
  expect(again).toEqual(first);
  expect(other.end).not.toBe(first.end);
});

const { reconcile } = replicaSetController;

test.each<[string, Partial<Controller>]>([
  ["a controller that does not read its own writes is detected", { readsOwnWrites: false }],
  [
    "a controller that does not retry is detected",
    { reconcile: (key, ctx) => reconcile(key, ctx).catch(() => undefined) },
  ],
  [
    "a controller that deletes pods of others is detected",
    {
      async reconcile(key, ctx) {
        const pods = await ctx.cache.list(Pod, { namespace: key.namespace });
        const other = pods.find(({ spec }) => spec.containers[0]?.image === "stranger");
        if (other) await ctx.client.delete(Pod, keyOf(other)).catch(() => undefined);
        return reconcile(key, ctx);
      },
    },
  ],
  [
    "a controller that writes all the time is detected",
    {
      async reconcile(key, ctx) {
        await reconcile(key, ctx);
        const note = `at ${ctx.clock.now()}`;
        const one = await ctx.cache.get(replicaSetController.kind, key);
        if (one) ctx.events.record(one, { type: "Normal", reason: "Looked", note });
        return { requeueAfterMs: 600_000 };
      },
    },
  ],
])(
  "converge: %s",
  async (_, fault) => {
    const broken = {
      ...replicaSetCase,
      controllers: [{ ...replicaSetController, concurrency: 5, ...fault }],
    };
    let problems: readonly string[] = [];
    // Some faults need a rare order of events to show.
    for (let seed = 1; seed <= 50 && problems.length === 0; seed++)
      ({ problems } = await converge(broken, seed));
    expect(problems).not.toEqual([]);
  },
  120_000,
);
