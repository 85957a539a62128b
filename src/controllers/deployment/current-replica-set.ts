import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { revisionAnnotation } from "./deployment-annotations.ts";
import { conditionNow, withDeploymentCondition } from "./deployment-conditions.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { sameTemplate } from "./pod-template-hash.ts";
import { hasDeadline, progressing } from "./progress.ts";
import { sizeOf } from "./replica-set-lists.ts";
import { annotationsAtRevision, maxRevision } from "./revision.ts";
import { type RolloutState, withReplicaSet } from "./rollout-state.ts";
import { writeDeploymentStatus } from "./write-deployment-status.ts";

/** Writes the revision and the shared annotations into the new replica set, and then the revision into the deployment. */
export async function syncRevision(
  ctx: ReconcileContext,
  rollout: RolloutState,
): Promise<RolloutState> {
  const { deployment, replicaSets } = rollout;
  const { current, old } = replicaSets;
  if (!current) return rollout;
  const updated = await updateCurrent(ctx, rollout, current);
  // The deployment is written in the next reconcile, once the replica set has the revision.
  if (updated) return withReplicaSet(rollout, updated);
  const { name, annotations } = current.metadata;
  const { status } = deployment;
  // The deadline of a rollout without a Progressing condition starts now.
  const isFirstSeen = hasDeadline(deployment) && !progressing(status);
  const found = progress(ctx, "FoundNewReplicaSet", `Found new replica set "${name}"`);
  const conditions = withDeploymentCondition(status.conditions ?? [], found);
  const written = await writeDeploymentStatus(ctx, deployment, {
    status: isFirstSeen ? { ...status, conditions } : status,
    revision: annotations?.[revisionAnnotation] ?? "",
  });
  return { deployment: written, replicaSets: { current, old } };
}

/** Writes the new replica set where it differs from what the deployment wants; undefined if it does not. */
async function updateCurrent(
  { client, signal }: ReconcileContext,
  { deployment, replicaSets }: RolloutState,
  current: ReplicaSet,
): Promise<ReplicaSet | undefined> {
  const { metadata, spec } = current;
  const { annotations: present = {} } = metadata;
  const revision = maxRevision(replicaSets.old) + 1n;
  const annotations = annotationsAtRevision(deployment, present, revision);
  const { minReadySeconds = 0 } = deployment.spec;
  if (annotations === present && (spec.minReadySeconds ?? 0) === minReadySeconds) return undefined;
  return client.update(
    ReplicaSet,
    { ...current, metadata: { ...metadata, annotations }, spec: { ...spec, minReadySeconds } },
    { signal },
  );
}

/** Creates the replica set of the template; if one of its name exists, it must be the deployment's own. */
export async function createCurrent(
  ctx: ReconcileContext,
  rollout: RolloutState,
): Promise<RolloutState> {
  const { client, events, signal } = ctx;
  const { deployment, replicaSets } = rollout;
  const { old } = replicaSets;
  const wanted = newReplicaSet(deployment, old);
  const revision = wanted.metadata.annotations?.[revisionAnnotation];
  let current: ReplicaSet;
  try {
    current = await client.create(ReplicaSet, wanted as never, { signal });
  } catch (error) {
    const found = await foundInstead(ctx, rollout, { error, name: wanted.metadata.name ?? "" });
    const { status } = deployment;
    const written = await writeDeploymentStatus(ctx, deployment, { status, revision });
    return { deployment: written, replicaSets: { current: found, old } };
  }
  const { name } = current.metadata;
  const size = sizeOf(current);
  const note = `Scaled up replica set ${name} from 0 to ${size}`;
  if (size > 0) events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", note });
  const created = progress(ctx, "NewReplicaSetCreated", `Created new replica set "${name}"`);
  const { status } = deployment;
  const conditions = withDeploymentCondition(status.conditions ?? [], created);
  const written = await writeDeploymentStatus(ctx, deployment, {
    status: hasDeadline(deployment) ? { ...status, conditions } : status,
    revision,
  });
  return { deployment: written, replicaSets: { current, old } };
}

const progress = ({ clock }: ReconcileContext, reason: string, message: string) =>
  conditionNow({ type: "Progressing", status: "True", reason, message }, clock.now());

/**
 * Handles an error of the creation. If the deployment's own replica set exists already, resolves with it.
 * If the name is taken by another, counts the collision, so that the retry uses another hash.
 */
async function foundInstead(
  ctx: ReconcileContext,
  { deployment }: RolloutState,
  { error, name }: { readonly error: unknown; readonly name: string },
): Promise<ReplicaSet> {
  const { client, events, signal, clock } = ctx;
  const { status, metadata, spec } = deployment;
  if (StatusError.is(error, "AlreadyExists")) {
    const { namespace } = metadata;
    const found = await client.get(ReplicaSet, { namespace, name }, { signal });
    const isOwn =
      isControlledBy(found, deployment) && sameTemplate(found.spec.template, spec.template);
    if (isOwn) return found;
    const collisionCount = (status.collisionCount ?? 0) + 1;
    await writeDeploymentStatus(ctx, deployment, { status: { ...status, collisionCount } });
    throw error;
  }
  if (isNamespaceGoing(error)) throw error;
  const reason = "ReplicaSetCreateError";
  const message = `Failed to create new replica set "${name}": ${errorMessage(error)}`;
  if (hasDeadline(deployment)) {
    const failed = { type: "Progressing", status: "False", reason, message } as const;
    const conditions = withDeploymentCondition(
      status.conditions ?? [],
      conditionNow(failed, clock.now()),
    );
    // If the status cannot be written, the error of the creation is still the one to report.
    await writeDeploymentStatus(ctx, deployment, { status: { ...status, conditions } }).catch(
      () => undefined,
    );
  }
  events.record(deployment, { type: "Warning", reason, note: message });
  throw error;
}
