import { expect, test } from "vitest";
import type { DeploymentStatus } from "../../api/apps/v1/deployment-spec.ts";
import { deploymentStatus } from "./deployment-status.ts";
import {
  ago,
  deployment,
  now,
  type ReplicaSetTraits,
  replicaSet,
} from "./replica-set.test-support.ts";

const available = {
  type: "Available",
  status: "True",
  reason: "MinimumReplicasAvailable",
  message: "Deployment has minimum availability.",
  lastUpdateTime: ago(0),
  lastTransitionTime: ago(0),
} as const;
const unavailable = {
  ...available,
  status: "False",
  reason: "MinimumReplicasUnavailable",
  message: "Deployment does not have minimum availability.",
} as const;

interface Row {
  readonly name: string;
  readonly replicas: number;
  readonly before?: DeploymentStatus;
  readonly current?: ReplicaSetTraits;
  readonly old?: ReplicaSetTraits;
  readonly status: DeploymentStatus;
}

test.each<Row>([
  {
    name: "pods are counted, zeros are absent",
    replicas: 4,
    current: { size: 1, available: 0, status: { terminatingReplicas: 1 } },
    old: { size: 4, available: 4, status: { terminatingReplicas: 2 } },
    status: {
      observedGeneration: 1,
      replicas: 5,
      updatedReplicas: 1,
      readyReplicas: 4,
      availableReplicas: 4,
      unavailableReplicas: 1,
      terminatingReplicas: 3,
      conditions: [available],
    },
  },
  {
    name: "as many may be missing as the strategy says",
    replicas: 4,
    current: { size: 4, available: 3 },
    status: {
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
      terminatingReplicas: 0,
      conditions: [available],
    },
  },
  {
    name: "more unavailable pods than allowed make the deployment unavailable",
    replicas: 4,
    current: { size: 4, available: 2 },
    status: {
      observedGeneration: 1,
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 2,
      availableReplicas: 2,
      unavailableReplicas: 2,
      terminatingReplicas: 0,
      conditions: [unavailable],
    },
  },
  {
    name: "unavailable pods are never negative",
    replicas: 1,
    current: { size: 1, available: 3, status: { replicas: 3 } },
    status: {
      observedGeneration: 1,
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      conditions: [available],
    },
  },
  {
    name: "terminating pods are unknown if a replica set does not report them",
    replicas: 0,
    current: { size: 0, status: { terminatingReplicas: undefined } },
    status: { observedGeneration: 1, conditions: [available] },
  },
  {
    name: "a replica set without a status has no terminating pods",
    replicas: 0,
    current: { size: 0, status: { observedGeneration: 0, terminatingReplicas: undefined } },
    status: { observedGeneration: 1, terminatingReplicas: 0, conditions: [available] },
  },
  {
    name: "existing conditions and the collision count are kept",
    replicas: 0,
    before: {
      collisionCount: 2,
      conditions: [{ ...available, lastUpdateTime: ago(9), lastTransitionTime: ago(9) }],
    },
    status: {
      observedGeneration: 1,
      terminatingReplicas: 0,
      collisionCount: 2,
      conditions: [{ ...available, lastUpdateTime: ago(9), lastTransitionTime: ago(9) }],
    },
  },
])("deploymentStatus: $name", ({ replicas, before, current, old, status }) => {
  const replicaSets = {
    current: current && replicaSet("new", current),
    old: old ? [replicaSet("a", old)] : [],
  };
  const of = deployment(replicas, before && { status: before });
  expect(deploymentStatus(of, replicaSets, now)).toEqual(status);
});
