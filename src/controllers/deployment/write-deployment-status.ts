import { Deployment } from "../../api/apps/v1/deployment.ts";
import type { DeploymentStatus } from "../../api/apps/v1/deployment-spec.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { revisionAnnotation } from "./deployment-annotations.ts";

/** The status to write. */
export interface StatusUpdate {
  readonly status: DeploymentStatus;
  /** The revision of the deployment; unchanged if not given. */
  readonly revision?: string | undefined;
}

/** Writes the status of a deployment and its revision where they differ; resolves with the deployment as it is then. */
export async function writeDeploymentStatus(
  { client, signal }: ReconcileContext,
  deployment: Deployment,
  { status, revision }: StatusUpdate,
): Promise<Deployment> {
  const { metadata } = deployment;
  const isSameRevision =
    revision === undefined || metadata.annotations?.[revisionAnnotation] === revision;
  if (isSameRevision && sameJson(status, deployment.status)) return deployment;
  const annotations = { ...metadata.annotations, [revisionAnnotation]: revision ?? "" };
  return client.update(
    Deployment,
    {
      ...deployment,
      ...(!isSameRevision && { metadata: { ...metadata, annotations } }),
      status,
    },
    { subresource: "status", signal },
  );
}
