import { afterEach, beforeEach, expect, test } from "vitest";
import { type DeploymentWorld, deploymentWorld, labels } from "./deployment-world.test-support.ts";

let world: DeploymentWorld;
beforeEach(async () => {
  world = await deploymentWorld();
});
afterEach(() => world.end());

test("a deployment makes a replica set of its template, and is told of until all is there", async () => {
  const begun = await world.create();
  expect(begun.metadata.annotations).toEqual({ "deployment.kubernetes.io/revision": "1" });
  expect(begun.status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    unavailableReplicas: 3,
    terminatingReplicas: 0,
  });
  const { v1 } = await world.replicaSets();
  const hash = v1?.metadata.labels?.["pod-template-hash"];
  expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  expect(v1?.metadata).toMatchObject({
    name: `web-${hash}`,
    labels: { ...labels, "pod-template-hash": hash },
    annotations: {
      "deployment.kubernetes.io/revision": "1",
      "deployment.kubernetes.io/desired-replicas": "3",
      "deployment.kubernetes.io/max-replicas": "4",
    },
    ownerReferences: [
      { kind: "Deployment", name: "web", controller: true, blockOwnerDeletion: true },
    ],
  });
  expect(v1?.spec.selector).toEqual({ matchLabels: { ...labels, "pod-template-hash": hash } });
  expect(v1?.spec.template.metadata.labels).toEqual({ ...labels, "pod-template-hash": hash });
  const name = v1?.metadata.name;
  expect(await world.condition("Available")).toBe(
    "False MinimumReplicasUnavailable Deployment does not have minimum availability.",
  );
  expect(await world.condition("Progressing")).toBe(
    `True ReplicaSetUpdated ReplicaSet "${name}" is progressing.`,
  );
  await world.makeReady();
  expect((await world.get()).status).toMatchObject({
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect((await world.get()).status.unavailableReplicas).toBeUndefined();
  expect(await world.condition("Available")).toBe(
    "True MinimumReplicasAvailable Deployment has minimum availability.",
  );
  expect(await world.condition("Progressing")).toBe(
    `True NewReplicaSetAvailable ReplicaSet "${name}" has successfully progressed.`,
  );
  expect(await world.events()).toEqual([
    "Normal ScalingReplicaSet Scaled up replica set v1 from 0 to 3",
  ]);
});
