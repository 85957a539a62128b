import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { keyOf } from "../client/resource-kind.ts";
import { withController } from "../controller-runtime/objects/owner-references.ts";
import type { ConvergenceWorld } from "./convergence.test-support.ts";
import { randomPod } from "./convergence-pods.test-support.ts";
import { replicaSetName } from "./deployment/new-replica-set.ts";
import { templateHash } from "./deployment/pod-template-hash.ts";

/** Makes a deployment that wants anything that one can want. */
export async function randomDeployment(world: ConvergenceWorld, name: string): Promise<Deployment> {
  const { client, number, pick, happens } = world;
  const labels = { app: name };
  const image = pick(["v1", "v2", "v3"]);
  return client.create(Deployment, {
    metadata: { name, ...(happens(0.3) && { annotations: { "example.com/cause": "test" } }) },
    spec: {
      replicas: number(0, 8),
      minReadySeconds: pick([0, 0, 3]),
      revisionHistoryLimit: pick([10, 10, 2, 0]),
      progressDeadlineSeconds: pick([600, 60, 2 ** 31 - 1]),
      paused: happens(0.1),
      strategy: strategyOf(world),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  });
}

export function strategyOf({ pick, happens }: ConvergenceWorld) {
  if (happens(0.25)) return { type: "Recreate" as const, rollingUpdate: null as never };
  const [maxSurge, maxUnavailable] = pick([
    ["25%", "25%"],
    [0, 1],
    [1, 0],
    [2, 3],
    ["100%", "50%"],
    [0, "10%"],
  ] as const);
  return { type: "RollingUpdate" as const, rollingUpdate: { maxSurge, maxUnavailable } };
}

/**
 * Makes a replica set that a deployment may have left, with pods: its own, an orphan, or another's. It may
 * be about to go, remember any size, or have the name that the next one would have.
 */
export async function randomRevision(
  world: ConvergenceWorld,
  deployment: Deployment,
  index: number,
): Promise<void> {
  const { client, number, pick, happens } = world;
  const whose = pick(["own", "own", "own", "own", "orphan", "other"] as const);
  const { name: app = "" } = deployment.metadata;
  const isNamesake = happens(0.1) && index === 1;
  const hash = isNamesake ? templateHash(deployment) : `h${index}`;
  const image = isNamesake ? "namesake" : `v${index}`;
  const labels = { app, "pod-template-hash": hash };
  const isGoing = happens(0.1) && whose === "own";
  const replicas = number(0, 5);
  const replicaSet = {
    metadata: {
      name: replicaSetName(app, hash),
      namespace: "default",
      labels: { ...labels, ...(isNamesake && { app: "namesake" }) },
      annotations: rememberedBy(world),
      ...(isGoing && { finalizers: ["example.com/wait"] }),
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  };
  const other = () => client.get(ConfigMap, { name: "other" });
  const made = await client.create(
    ReplicaSet,
    whose === "orphan" || isNamesake
      ? replicaSet
      : withController(replicaSet, whose === "own" ? deployment : await other()),
  );
  for (let i = number(0, replicas + 1); i > 0; i--)
    await randomPod(world, { labels, image, owner: made });
  if (isGoing) await client.delete(ReplicaSet, keyOf(made), { propagationPolicy: "Background" });
}

function rememberedBy({ number, pick, happens }: ConvergenceWorld): Record<string, string> {
  const prefix = "deployment.kubernetes.io";
  const desired = number(0, 8);
  return {
    ...(happens(0.8) && { [`${prefix}/revision`]: pick(["1", "2", "3", "7", "7"]) }),
    ...(happens(0.8) && { [`${prefix}/desired-replicas`]: pick([String(desired), "many"]) }),
    ...(happens(0.8) && { [`${prefix}/max-replicas`]: pick([String(desired + 2), "0"]) }),
  };
}
