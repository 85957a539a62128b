import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import { replicaSetStatus } from "./replica-set-status.ts";
import { replicasController } from "./replicas-controller.ts";

/** Creates and deletes the pods of replica sets. */
export const replicaSetController = replicasController({
  name: "replicaset-controller",
  for: ReplicaSet,
  selectorOf: ({ spec }: ReplicaSet) => labelSelector(spec.selector),
  statusOf: replicaSetStatus,
});
