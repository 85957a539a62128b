import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  ReconcileContext,
  ReconcileResult,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { claimObjects } from "../claim-objects.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { nonEmptySelector, possibleOwners, selectsAll } from "../possible-owners.ts";
import { createCurrent, syncRevision } from "./current-replica-set.ts";
import { rollbackRevision } from "./deployment-annotations.ts";
import { conditionNow, withDeploymentCondition } from "./deployment-conditions.ts";
import { deploymentStatus } from "./deployment-status.ts";
import { hasDeadline, hasTimedOut, progressing } from "./progress.ts";
import { isScaled, planScale } from "./proportional-scaling.ts";
import { allOf, splitReplicaSets } from "./replica-set-lists.ts";
import { planRollback } from "./rollback.ts";
import type { RolloutState } from "./rollout-state.ts";
import { cleanUpHistory, recreateStep, rollingUpdateStep, scaleAll } from "./rollout-step.ts";
import { writeDeploymentStatus } from "./write-deployment-status.ts";

/** Rolls out the pod templates of deployments, one replica set per template. */
export const deploymentController = controller({
  name: "deployment-controller",
  for: Deployment,
  owns: [ReplicaSet],
  watches: [
    {
      kind: ReplicaSet,
      predicates: [({ type }) => type !== "deleted"],
      map: possibleOwners(Deployment, ({ spec }) => nonEmptySelector(spec.selector)),
    },
    {
      kind: Pod,
      predicates: [({ type }) => type === "deleted"],
      // A recreation may create new pods once the last old pod is gone.
      async map(pod, { cache }) {
        const { namespace } = pod.metadata;
        const { kind, name = "", uid } = controllerOf(pod) ?? {};
        if (kind !== "ReplicaSet") return [];
        const replicaSet = await cache.get(ReplicaSet, { namespace, name });
        const owner = replicaSet?.metadata.uid === uid ? controllerOf(replicaSet ?? {}) : undefined;
        if (owner?.kind !== "Deployment") return [];
        const deployment = await cache.get(Deployment, { namespace, name: owner.name });
        const isMeant =
          deployment?.metadata.uid === owner.uid && deployment.spec.strategy.type === "Recreate";
        return isMeant ? [keyOf(deployment)] : [];
      },
    },
  ],

  async reconcile(key, ctx) {
    const deployment = await ctx.cache.get(Deployment, key);
    if (!deployment) return undefined;
    try {
      return await sync(ctx, deployment);
    } catch (error) {
      // Nothing can be created in a namespace that is being deleted, and nothing needs to be.
      if (isNamespaceGoing(error)) return undefined;
      throw error;
    }
  },
});

async function sync(
  ctx: ReconcileContext,
  deployment: Deployment,
): Promise<ReconcileResult | undefined> {
  if (selectsAll(deployment.spec.selector)) return refuse(ctx, deployment);
  const claimed = await claim(ctx, deployment);
  const isGoing = deployment.metadata.deletionTimestamp !== undefined;
  const latest = isGoing ? deployment : await writePauseCondition(ctx, deployment);
  const replicaSets = splitReplicaSets(latest, claimed);
  const rollout = await syncRevision(ctx, { deployment: latest, replicaSets });
  if (isGoing) return writeStatus(ctx, rollout);
  const { paused = false, strategy } = latest.spec;
  if (paused) return scale(ctx, rollout);
  const revision = rollbackRevision(latest);
  if (revision !== undefined) return rollBack(ctx, rollout, revision);
  // If no replica set needs another size, the rollout continues; it would wait forever otherwise.
  if (
    isScaled(rollout.deployment, rollout.replicaSets) &&
    planScale(rollout.deployment, rollout.replicaSets).length > 0
  )
    return scale(ctx, rollout);
  if (strategy.type === "Recreate") return recreateStep(ctx, rollout);
  if (strategy.type === "RollingUpdate") return rollingUpdateStep(ctx, rollout);
  throw new Error(`unexpected deployment strategy type: ${strategy.type}`);
}

async function refuse(ctx: ReconcileContext, deployment: Deployment): Promise<undefined> {
  const note = "This deployment is selecting all pods. A non-empty selector is required.";
  ctx.events.record(deployment, { type: "Warning", reason: "SelectingAll", note });
  const { metadata, status } = deployment;
  const { generation: observedGeneration = 0 } = metadata;
  if ((status.observedGeneration ?? 0) < observedGeneration)
    await writeDeploymentStatus(ctx, deployment, { status: { ...status, observedGeneration } });
}

/** The replica sets of a deployment, after adoption and release. */
async function claim(
  ctx: ReconcileContext,
  deployment: Deployment,
): Promise<readonly ReplicaSet[]> {
  const selector = labelSelector(deployment.spec.selector);
  const controlled = await ctx.cache.controlledBy(ReplicaSet, deployment);
  const orphans = await ctx.cache.orphans(ReplicaSet, deployment.metadata.namespace);
  return claimObjects(
    ctx,
    {
      owner: deployment,
      ownerKind: Deployment,
      kind: ReplicaSet,
      matches: ({ metadata }) => selector.matches(metadata.labels),
    },
    [...controlled, ...orphans],
  );
}

/** Writes a condition when a rollout is paused or resumed: its deadline starts anew. */
async function writePauseCondition(
  ctx: ReconcileContext,
  deployment: Deployment,
): Promise<Deployment> {
  const { spec, status } = deployment;
  const { paused = false } = spec;
  const isMarked = progressing(status)?.reason === "DeploymentPaused";
  if (!hasDeadline(deployment) || hasTimedOut(deployment) || paused === isMarked) return deployment;
  const condition = conditionNow(
    {
      type: "Progressing",
      status: "Unknown",
      reason: paused ? "DeploymentPaused" : "DeploymentResumed",
      message: paused ? "Deployment is paused" : "Deployment is resumed",
    },
    ctx.clock.now(),
  );
  const conditions = withDeploymentCondition(status.conditions ?? [], condition);
  return writeDeploymentStatus(ctx, deployment, { status: { ...status, conditions } });
}

/** Scales the replica sets with the deployment, without progress of the rollout. */
async function scale(ctx: ReconcileContext, rollout: RolloutState): Promise<undefined> {
  const { deployment, replicaSets } = rollout;
  const scaled = await scaleAll(ctx, rollout, planScale(deployment, replicaSets));
  const isRollingBack = rollbackRevision(deployment) !== undefined;
  if (deployment.spec.paused && !isRollingBack) await cleanUpHistory(ctx, scaled);
  return writeStatus(ctx, scaled);
}

async function rollBack(
  ctx: ReconcileContext,
  given: RolloutState,
  revision: bigint,
): Promise<undefined> {
  const { client, events, signal } = ctx;
  const rollout = given.replicaSets.current ? given : await createCurrent(ctx, given);
  const plan = planRollback(rollout.deployment, allOf(rollout.replicaSets), revision);
  const isRefused = plan.event.type === "Warning";
  if (isRefused) events.record(rollout.deployment, plan.event);
  await client.update(Deployment, plan.deployment, { signal });
  if (!isRefused) events.record(rollout.deployment, plan.event);
}

/** Writes the status without the progress of a rollout. */
async function writeStatus(
  ctx: ReconcileContext,
  { deployment, replicaSets }: RolloutState,
): Promise<undefined> {
  const status = deploymentStatus(deployment, replicaSets, ctx.clock.now());
  await writeDeploymentStatus(ctx, deployment, { status });
}
