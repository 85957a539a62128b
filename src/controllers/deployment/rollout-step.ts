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
import { nextSize, planScaleDown } from "./plan-rolling-update.ts";
import { isComplete, progressCheckMs, rolloutStatus } from "./progress.ts";
import { activeOf, allOf } from "./replica-set-lists.ts";
import { type RolloutState, withReplicaSet } from "./rollout-state.ts";
import { scaleReplicaSet } from "./scale-replica-set.ts";
import { writeDeploymentStatus } from "./write-deployment-status.ts";

/** Takes the next step of a rolling update: new pods are created while old ones are deleted. */
export async function rollingUpdateStep(
  ctx: ReconcileContext,
  given: RolloutState,
): Promise<ReconcileResult> {
  const rollout = given.replicaSets.current ? given : await createCurrent(ctx, given);
  const { deployment, replicaSets } = rollout;
  const { old } = replicaSets;
  const current = replicaSets.current as ReplicaSet;
  const size = nextSize(deployment, current, allOf(replicaSets));
  const { replicaSet, isScaled } = await scaleReplicaSet(ctx, deployment, {
    replicaSet: current,
    size,
  });
  if (isScaled) return writeRolloutStatus(ctx, withReplicaSet(rollout, replicaSet));
  const steps = planScaleDown(deployment, current, old);
  if (steps.length === 0) return finish(ctx, rollout);
  return writeRolloutStatus(ctx, await scaleAll(ctx, rollout, steps));
}

/** Takes the next step of a recreation: all old pods are gone before new ones are created. */
export async function recreateStep(
  ctx: ReconcileContext,
  given: RolloutState,
): Promise<ReconcileResult> {
  const active = activeOf(given.replicaSets.old);
  if (active.length > 0) {
    const steps = active.map((replicaSet) => ({ replicaSet, size: 0 }));
    return writeRolloutStatus(ctx, await scaleAll(ctx, given, steps));
  }
  if (await haveOldPods(ctx, given.replicaSets.old)) return writeRolloutStatus(ctx, given);
  const rollout = given.replicaSets.current ? given : await createCurrent(ctx, given);
  const { deployment, replicaSets } = rollout;
  const current = replicaSets.current as ReplicaSet;
  const { replicas: size } = deployment.spec;
  const { replicaSet } = await scaleReplicaSet(ctx, deployment, { replicaSet: current, size });
  return finish(ctx, withReplicaSet(rollout, replicaSet));
}

/** Deletes old replica sets beyond the revision history limit. */
export async function cleanUpHistory(
  { client, signal }: ReconcileContext,
  { deployment, replicaSets }: RolloutState,
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

/** Scales replica sets one after another: a replica set may have several steps. */
export async function scaleAll(
  ctx: ReconcileContext,
  rollout: RolloutState,
  steps: readonly Parameters<typeof scaleReplicaSet>[2][],
): Promise<RolloutState> {
  let now = rollout;
  for (const step of steps) {
    const { uid } = step.replicaSet.metadata;
    const latest = allOf(now.replicaSets).find(({ metadata }) => metadata.uid === uid);
    const { replicaSet } = await scaleReplicaSet(ctx, rollout.deployment, {
      ...step,
      replicaSet: latest ?? step.replicaSet,
    });
    now = withReplicaSet(now, replicaSet);
  }
  return now;
}

async function finish(ctx: ReconcileContext, rollout: RolloutState): Promise<ReconcileResult> {
  const { deployment } = rollout;
  if (isComplete(deployment, deployment.status)) await cleanUpHistory(ctx, rollout);
  return writeRolloutStatus(ctx, rollout);
}

/** Writes the status with the progress of the rollout, and requeues for when its deadline expires. */
async function writeRolloutStatus(
  ctx: ReconcileContext,
  { deployment, replicaSets }: RolloutState,
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
