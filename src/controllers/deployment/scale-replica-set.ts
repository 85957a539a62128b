import type { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sizeAnnotations } from "./deployment-annotations.ts";
import { sizeOf } from "./replica-set-lists.ts";
import type { ScaleStep } from "./rolling.ts";
import { maxSurge } from "./surge.ts";

export interface ScaleOptions extends ScaleStep {
  /** Whether it is to remember how large its deployment is even where its size stays; it is not if not given. */
  readonly remembers?: boolean | undefined;
}

/** Gives a replica set a size, and says so; resolves with what is there then. */
export async function scaleReplicaSet(
  { client, events, signal }: ReconcileContext,
  deployment: Deployment,
  { replicaSet, size, remembers = false }: ScaleOptions,
): Promise<ReplicaSet> {
  const { metadata, spec } = replicaSet;
  const before = sizeOf(replicaSet);
  const { replicas } = deployment.spec;
  const remembered = sizeAnnotations({
    desired: replicas,
    max: replicas + maxSurge(deployment.spec),
  });
  const isRemembered = Object.entries(remembered).every(
    ([name, value]) => metadata.annotations?.[name] === value,
  );
  if (before === size && (!remembers || isRemembered)) return replicaSet;
  const scaled = await client.update(
    ReplicaSet,
    {
      ...replicaSet,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...remembered } },
      spec: { ...spec, replicas: size },
    },
    { signal },
  );
  if (before !== size) {
    const direction = before < size ? "up" : "down";
    const note = `Scaled ${direction} replica set ${metadata.name} from ${before} to ${size}`;
    events.record(deployment, { type: "Normal", reason: "ScalingReplicaSet", note });
  }
  return scaled;
}
