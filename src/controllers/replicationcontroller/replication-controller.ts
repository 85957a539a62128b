import { ReplicationController } from "../../api/core/v1/replication-controller.ts";
import { nothing, selectorFromSet } from "../../schema/selectors/label-selector.ts";
import type { ReplicaSetFacts } from "../replicaset/replica-set-status.ts";
import { replicaSetStatus } from "../replicaset/replica-set-status.ts";
import { replicasController } from "../replicaset/replicas-controller.ts";

/** Creates and deletes the pods of replication controllers: replica sets with a simpler selector. */
export const replicationController = replicasController({
  name: "replicationcontroller-controller",
  eventSource: "replication-controller",
  for: ReplicationController,
  selectorOf: ({ spec: { selector } }: ReplicationController) =>
    selector ? selectorFromSet(selector) : nothing,
  statusOf,
});

/** The status of a replica set, without the count that replication controllers do not have. */
function statusOf(
  { metadata, spec, status }: ReplicationController,
  facts: ReplicaSetFacts,
): ReplicationController["status"] {
  const { selector, template } = spec;
  // The API server requires a template.
  if (!template) return status;
  const asReplicaSet = {
    metadata,
    spec: { ...spec, selector: { matchLabels: selector }, template },
    status,
  };
  const { terminatingReplicas: _, ...counted } = replicaSetStatus(asReplicaSet, facts);
  return counted;
}
