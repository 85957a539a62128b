import type { Deployment } from "../../api/apps/v1/deployment.ts";
import type { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import type { DeploymentReplicaSets } from "./replica-set-lists.ts";

/** A deployment and its replica sets, as they were last read or written. */
export interface RolloutState {
  readonly deployment: Deployment;
  readonly replicaSets: DeploymentReplicaSets;
}

/** The state with one replica set replaced by its new version. */
export function withReplicaSet(rollout: RolloutState, changed: ReplicaSet): RolloutState {
  const { current, old } = rollout.replicaSets;
  const now = <T extends ReplicaSet | undefined>(one: T): T | ReplicaSet =>
    one?.metadata.uid === changed.metadata.uid ? changed : one;
  return { ...rollout, replicaSets: { current: now(current), old: old.map(now) } };
}
