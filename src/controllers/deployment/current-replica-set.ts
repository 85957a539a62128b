import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../base/error-message.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { isNamespaceGoing } from "../namespace-going.ts";
import { revisionAnnotation } from "./deployment-annotations.ts";
import { conditionNow, withDeploymentCondition } from "./deployment-conditions.ts";
import { newReplicaSet } from "./new-replica-set.ts";
import { sameTemplate } from "./pod-template.ts";
import { hasDeadline, progressing } from "./progress.ts";
import { sizeOf } from "./replica-set-lists.ts";
import { annotationsAtRevision, maxRevision } from "./revision.ts";
import { type Rollout, withReplicaSet } from "./rollout.ts";
import { writeDeploymentStatus } from "./write-deployment-status.ts";

/** Has the replica set of the template know its revision and what it shares with the deployment, and the deployment which revision it is at. */
export async function syncRevision(ctx: ReconcileContext, rollout: Rollout): Promise<Rollout> {
  const { deployment, replicaSets } = rollout;
  const { current, old } = replicaSets;
  if (!current) return rollout;
  const updated = await syncCurrent(ctx, rollout, current);
  // The deployment follows when the replica set has it.
  if (updated !== current) return withReplicaSet(rollout, updated);
  const { name, annotations } = current.metadata;
  const { status } = deployment;
  // A rollout that nobody has watched so far begins when it is first seen.
  const isFirstSeen = hasDeadline(deployment) && !progressing(status);
  const found = progress(ctx, "FoundNewReplicaSet", `Found new replica set "${name}"`);
  const conditions = withDeploymentCondition(status.conditions ?? [], found);
  const told = await writeDeploymentStatus(ctx, deployment, {
    status: isFirstSeen ? { ...status, conditions } : status,
    revision: annotations?.[revisionAnnotation] ?? "",
  });
  return { deployment: told, replicaSets: { current, old } };
}

async function syncCurrent(
  { client, signal }: ReconcileContext,
  { deployment, replicaSets }: Rollout,
  current: ReplicaSet,
): Promise<ReplicaSet> {
  const { metadata, spec } = current;
  const { annotations: present = {} } = metadata;
  const revision = maxRevision(replicaSets.old) + 1n;
  const annotations = annotationsAtRevision(deployment, present, revision);
  const { minReadySeconds = 0 } = deployment.spec;
  if (annotations === present && (spec.minReadySeconds ?? 0) === minReadySeconds) return current;
  return client.update(
    ReplicaSet,
    { ...current, metadata: { ...metadata, annotations }, spec: { ...spec, minReadySeconds } },
    { signal },
  );
}

/** Makes the replica set of the template; one that is there already must be the deployment's own. */
export async function createCurrent(ctx: ReconcileContext, rollout: Rollout): Promise<Rollout> {
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
    const told = await writeDeploymentStatus(ctx, deployment, { status, revision });
    return { deployment: told, replicaSets: { current: found, old } };
  }
  const { name } = current.metadata;
  const size = sizeOf(current);
  const note = `Scaled up replica set ${name} from 0 to ${size}`;
  if (size > 0) events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", note });
  const created = progress(ctx, "NewReplicaSetCreated", `Created new replica set "${name}"`);
  const { status } = deployment;
  const conditions = withDeploymentCondition(status.conditions ?? [], created);
  const told = await writeDeploymentStatus(ctx, deployment, {
    status: hasDeadline(deployment) ? { ...status, conditions } : status,
    revision,
  });
  return { deployment: told, replicaSets: { current, old } };
}

const progress = ({ clock }: ReconcileContext, reason: string, message: string) =>
  conditionNow({ type: "Progressing", status: "True", reason, message }, clock.now());

/**
 * The deployment's own replica set where its name is taken by it already. Where another has the name, the
 * next try will be with another hash; why nothing can be made is told.
 */
async function foundInstead(
  ctx: ReconcileContext,
  { deployment }: Rollout,
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
    // That nothing can be made matters more than that this cannot be told.
    await writeDeploymentStatus(ctx, deployment, { status: { ...status, conditions } }).catch(
      () => undefined,
    );
  }
  events.record(deployment, { type: "Warning", reason, note: message });
  throw error;
}
