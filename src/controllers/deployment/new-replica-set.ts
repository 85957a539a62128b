import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { sizeAnnotations } from "./deployment-annotations.ts";
import { newSize } from "./plan-rolling-update.ts";
import { hashLabel, templateHash } from "./pod-template-hash.ts";
import { totalSize } from "./replica-set-lists.ts";
import { annotationsAtRevision, maxRevision } from "./revision.ts";
import { maxSurge } from "./surge.ts";

/** The replica set for the template of a deployment, beside its old ones. */
export function newReplicaSet(deployment: Deployment, old: readonly ReplicaSet[]): NewReplicaSet {
  const { spec, metadata } = deployment;
  const { minReadySeconds, template, selector } = spec;
  const hash = templateHash(deployment);
  const labels = { ...template.metadata.labels, [hashLabel]: hash };
  const size = sizeAnnotations({ desired: spec.replicas, max: spec.replicas + maxSurge(spec) });
  const made: NewReplicaSet = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: replicaSetName(metadata.name ?? "", hash),
      namespace: metadata.namespace,
      labels,
      annotations: { ...annotationsAtRevision(deployment, {}, maxRevision(old) + 1n), ...size },
    },
    spec: {
      replicas: newSize(spec, { total: totalSize(old), current: 0 }),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      selector: {
        ...selector,
        matchLabels: { ...selector?.matchLabels, [hashLabel]: hash },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
  return withController(made, deployment);
}

export type NewReplicaSet = Pick<ReplicaSet, "apiVersion" | "kind" | "metadata" | "spec">;

/** The name of a deployment, truncated if necessary, and a hash. */
export const replicaSetName = (deployment: string, hash: string): string =>
  `${deployment.slice(0, longestName - 1 - hash.length)}-${hash}`;

const longestName = 253;
