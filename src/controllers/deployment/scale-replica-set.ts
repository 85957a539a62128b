import type { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sizeAnnotations } from "./deployment-annotations.ts";
import type { ScaleStep } from "./plan-rolling-update.ts";
import { sizeOf } from "./replica-set-lists.ts";
import { maxSurge } from "./surge.ts";

export interface ScaleOptions extends ScaleStep {
  /** Whether the annotations with the deployment's size are written even if the replica set keeps its size. */
  readonly annotates?: boolean | undefined;
}

export interface ScaledReplicaSet {
  readonly replicaSet: ReplicaSet;
  /** Whether it was written. */
  readonly isScaled: boolean;
}

/** Writes the size of a replica set where it differs, and records an event. */
export async function scaleReplicaSet(
  { client, events, signal }: ReconcileContext,
  deployment: Deployment,
  { replicaSet, size, annotates = false }: ScaleOptions,
): Promise<ScaledReplicaSet> {
  const { metadata, spec } = replicaSet;
  const before = sizeOf(replicaSet);
  const { replicas } = deployment.spec;
  const wanted = sizeAnnotations({
    desired: replicas,
    max: replicas + maxSurge(deployment.spec),
  });
  const isAnnotated = Object.entries(wanted).every(
    ([name, value]) => metadata.annotations?.[name] === value,
  );
  if (before === size && (!annotates || isAnnotated)) return { replicaSet, isScaled: false };
  const scaled = await client.update(
    ReplicaSet,
    {
      ...replicaSet,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...wanted } },
      spec: { ...spec, replicas: size },
    },
    { signal },
  );
  if (before !== size) {
    const direction = before < size ? "up" : "down";
    const note = `Scaled ${direction} replica set ${metadata.name} from ${before} to ${size}`;
    events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", note });
  }
  return { replicaSet: scaled, isScaled: true };
}
