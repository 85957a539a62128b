import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type {
  ReconcileContext,
  ReconcileResult,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { createCurrent } from "./current-replica-set.ts";
import { beyondHistory } from "./history.ts";
import { isComplete, progressCheckMs, rolloutStatus } from "./progress.ts";
import { activeOf, allOf } from "./replica-set-lists.ts";
import { nextSize, planScaleDown } from "./rolling.ts";
import { type Rollout, withReplicaSet } from "./rollout.ts";
import { scaleReplicaSet } from "./scale-replica-set.ts";
import { writeDeploymentStatus } from "./write-deployment-status.ts";

/** Takes the next step of a rollout in which new pods come while old ones go. */
export async function rollOutRolling(
  ctx: ReconcileContext,
  given: Rollout,
): Promise<ReconcileResult> {
  const rollout = given.replicaSets.current ? given : await createCurrent(ctx, given);
  const { deployment, replicaSets } = rollout;
  const { old } = replicaSets;
  const current = replicaSets.current as ReplicaSet;
  const size = nextSize(deployment, current, allOf(replicaSets));
  const scaled = await scaleReplicaSet(ctx, deployment, { replicaSet: current, size });
  if (scaled !== current) return tellRollout(ctx, withReplicaSet(rollout, scaled));
  const steps = planScaleDown(deployment, current, old);
  if (steps.length === 0) return finish(ctx, rollout);
  return tellRollout(ctx, await scaleAll(ctx, rollout, steps));
}

/** Takes the next step of a rollout in which all old pods go before new ones come. */
export async function rollOutRecreate(
  ctx: ReconcileContext,
  given: Rollout,
): Promise<ReconcileResult> {
  const active = activeOf(given.replicaSets.old);
  if (active.length > 0) {
    const steps = active.map((replicaSet) => ({ replicaSet, size: 0 }));
    return tellRollout(ctx, await scaleAll(ctx, given, steps));
  }
  if (await haveOldPods(ctx, given.replicaSets.old)) return tellRollout(ctx, given);
  const rollout = given.replicaSets.current ? given : await createCurrent(ctx, given);
  const { deployment, replicaSets } = rollout;
  const current = replicaSets.current as ReplicaSet;
  const { replicas: size } = deployment.spec;
  const scaled = await scaleReplicaSet(ctx, deployment, { replicaSet: current, size });
  return finish(ctx, withReplicaSet(rollout, scaled));
}

/** Deletes old replica sets that nobody wants to go back to. */
export async function cleanUpHistory(
  { client, signal }: ReconcileContext,
  { deployment, replicaSets }: Rollout,
): Promise<void> {
  for (const one of beyondHistory(deployment, replicaSets.old)) {
    const { uid, resourceVersion } = one.metadata;
    try {
      await client.delete(ReplicaSet, keyOf(one), {
        preconditions: { uid, resourceVersion },
        signal,
      });
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) throw error;
    }
  }
}

/** Gives replica sets their sizes, one after another: one may have several steps. */
export async function scaleAll(
  ctx: ReconcileContext,
  rollout: Rollout,
  steps: readonly Parameters<typeof scaleReplicaSet>[2][],
): Promise<Rollout> {
  let now = rollout;
  for (const step of steps) {
    const { uid } = step.replicaSet.metadata;
    const replicaSet = allOf(now.replicaSets).find(({ metadata }) => metadata.uid === uid);
    const scaled = await scaleReplicaSet(ctx, rollout.deployment, {
      ...step,
      replicaSet: replicaSet ?? step.replicaSet,
    });
    now = withReplicaSet(now, scaled);
  }
  return now;
}

async function finish(ctx: ReconcileContext, rollout: Rollout): Promise<ReconcileResult> {
  const { deployment } = rollout;
  if (isComplete(deployment, deployment.status)) await cleanUpHistory(ctx, rollout);
  return tellRollout(ctx, rollout);
}

/** Tells how the rollout comes on, and looks again when it would have taken too long. */
async function tellRollout(
  ctx: ReconcileContext,
  { deployment, replicaSets }: Rollout,
): Promise<ReconcileResult> {
  const now = ctx.clock.now();
  const status = rolloutStatus(deployment, replicaSets, now);
  await writeDeploymentStatus(ctx, deployment, { status });
  return { requeueAfterMs: progressCheckMs(deployment, status, now) };
}

/** Whether pods of old replica sets may still run. */
async function haveOldPods(
  { cache }: ReconcileContext,
  old: readonly ReplicaSet[],
): Promise<boolean> {
  if (old.some(({ status }) => status.replicas > 0)) return true;
  for (const replicaSet of old) {
    const pods = await cache.controlledBy(Pod, replicaSet);
    if (pods.some(({ status }) => status.phase !== "Failed" && status.phase !== "Succeeded"))
      return true;
  }
  return false;
}
