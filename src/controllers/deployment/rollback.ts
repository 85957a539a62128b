import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { rollbackToAnnotation } from "../../api/apps/v1/rollback-to.ts";
import { withChanges } from "../../client/with-changes.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import { annotationsAfterRollback } from "./deployment-annotations.ts";
import { sameTemplate, withoutHash } from "./pod-template-hash.ts";
import { lastRevision, revisionOf } from "./revision.ts";

/** The deployment after a rollback, and the event to record. */
export interface Rollback {
  readonly deployment: Deployment;
  readonly event: RecordedEvent;
}

/** Rolls a deployment back to a revision, the previous one if 0. The request is removed in any case. */
export function planRollback(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  asked: bigint,
): Rollback {
  const revision = asked === 0n ? lastRevision(all) : asked;
  if (revision === 0n)
    return refused(deployment, "RevisionNotFound", "Unable to find last revision.");
  const target = all.find((one) => revisionOf(one) === revision);
  if (!target)
    return refused(deployment, "RevisionNotFound", "Unable to find the revision to rollback to.");
  const { name } = deployment.metadata;
  if (sameTemplate(deployment.spec.template, target.spec.template))
    return refused(
      deployment,
      "TemplateUnchanged",
      `The rollback revision contains the same template as current deployment "${name}"`,
    );
  const note = `Rolled back deployment "${name}" to revision ${revision}`;
  return {
    deployment: {
      ...deployment,
      metadata: {
        ...deployment.metadata,
        annotations: annotationsAfterRollback(deployment, target),
      },
      spec: { ...deployment.spec, template: withoutHash(target.spec.template) },
    },
    event: { type: "Normal", reason: "DeploymentRollback", note },
  };
}

const refused = (deployment: Deployment, why: string, note: string): Rollback => ({
  deployment: withChanges(deployment, ({ metadata }) => {
    delete metadata.annotations?.[rollbackToAnnotation];
  }),
  event: { type: "Warning", reason: `DeploymentRollback${why}`, note },
});
