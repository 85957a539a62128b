import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive } from "../api/core/v1/pod/pod-state.ts";
import { keyOf } from "../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import type { ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import {
  randomDeployment,
  randomRevision,
  strategyOf,
} from "./convergence-deployment-state.test-support.ts";
import { hurtPod, PodCensus, strangers } from "./convergence-pods.test-support.ts";
import { problemsOf } from "./convergence-replicaset.test-support.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { sameTemplate } from "./deployment/pod-template-hash.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";

/** Deployments in the midst of rollouts, with replica sets of their own, orphans and those of others. */
export const deploymentCase: ConvergenceCase = {
  name: "deployment",
  controllers: [deploymentController, replicaSetController].map((one) => ({
    ...one,
    concurrency: 5,
  })),

  async prepare(world) {
    const { client, number, pick, happens } = world;
    await strangers(world, [{ app: "a" }, { app: "b" }]);
    const names = happens(0.5) ? ["a"] : ["a", "b"];
    for (const name of names) {
      const deployment = await randomDeployment(world, name);
      for (let i = number(0, 4); i > 0; i--) await randomRevision(world, deployment, i);
    }
    const begun = await replicaSets(world);
    const others = begun.filter((one) => controllerOf(one)?.kind === "ConfigMap");
    const census = new PodCensus(await pods(world));
    /** Replica sets that are there, as they last were. */
    const present = new Map(begun.map((one) => [one.metadata.uid ?? "", one]));
    const largest = new Map(
      begun.map(({ metadata: { uid = "" }, spec }) => [
        uid,
        Math.max(spec.replicas, census.count(uid)),
      ]),
    );
    const change = async (name: string, spec: object): Promise<void> =>
      void (await client.patch(Deployment, { name }, { merge: { spec } as never }));

    return {
      async disturb() {
        const name = pick(names);
        const image = pick(["v1", "v2", "v3", "v4", "v5"]);
        await pick([
          () => change(name, { template: { spec: { containers: [{ name: "web", image }] } } }),
          () => change(name, { replicas: number(0, 8) }),
          () => change(name, { paused: happens(0.5) }),
          () => change(name, { minReadySeconds: pick([0, 4]) }),
          () => change(name, { strategy: strategyOf(world) }),
          () => hurtPod(world, (pod) => controllerOf(pod)?.kind === "ReplicaSet"),
          () => hurtPod(world, (pod) => controllerOf(pod)?.kind === "ReplicaSet"),
        ])();
      },

      changed({ type, object }) {
        const { uid = "", name } = object.metadata;
        const owner = controllerOf(object);
        if (object.kind === "Pod") {
          census.note({ type, object });
          if (type !== "ADDED" || owner?.kind !== "ReplicaSet") return undefined;
          const [count, most] = [census.count(owner.uid), largest.get(owner.uid) ?? 0];
          return count > most ? `${owner.name} had ${count} pods, ${most} at most` : undefined;
        }
        const replicaSet = object as ReplicaSet;
        const twin = [...present.values()].find(
          (one) =>
            type === "ADDED" &&
            controllerOf(one)?.uid === owner?.uid &&
            sameTemplate(one.spec.template, replicaSet.spec.template),
        );
        if (type === "DELETED") present.delete(uid);
        else present.set(uid, replicaSet);
        largest.set(uid, Math.max(replicaSet.spec.replicas, largest.get(uid) ?? 0));
        return twin && `${name} was made although ${twin.metadata.name} has its template`;
      },

      async release() {
        for (const name of names) await change(name, { paused: false });
        for (const one of await replicaSets(world))
          if (one.metadata.finalizers)
            await client.patch(ReplicaSet, keyOf(one), { merge: { metadata: { finalizers: [] } } });
      },

      async problems() {
        const [sets, all] = [await replicaSets(world), await pods(world)];
        const problems: string[] = [];
        for (const name of names)
          problems.push(...problemsIn(await client.get(Deployment, { name }), sets, all));
        for (const { metadata } of others) {
          const now = sets.find((one) => one.metadata.uid === metadata.uid);
          if (now?.metadata.generation !== metadata.generation)
            problems.push(`${metadata.name} is another's and was changed`);
        }
        return problems;
      },
    };
  },
};

/** What is not as a deployment wants it. */
function problemsIn(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  pods: readonly Pod[],
): readonly string[] {
  const { metadata, spec, status } = deployment;
  const own = sets.filter((one) => isControlledBy(one, deployment));
  const current = own.find((one) => sameTemplate(one.spec.template, spec.template));
  if (!current) return [`${metadata.name} has no replica set of its template`];
  const problems = [...problemsOf(current, pods)];
  const expect = (what: string, is: unknown, wanted: unknown): void => {
    if (is !== wanted) problems.push(`${metadata.name}: ${what} is ${is}, not ${wanted}`);
  };
  const old = own.filter((one) => one !== current);
  const oldPods = pods.filter(
    (pod) => isPodActive(pod) && old.some((one) => isControlledBy(pod, one)),
  );
  const { replicas } = spec;
  expect("the size", current.spec.replicas, replicas);
  expect("the size of old ones", old.filter((one) => one.spec.replicas > 0).length, 0);
  expect("the number of old pods", oldPods.length, 0);
  expect("observedGeneration", status.observedGeneration, metadata.generation);
  expect("replicas", status.replicas ?? 0, replicas);
  expect("updatedReplicas", status.updatedReplicas ?? 0, replicas);
  expect("availableReplicas", status.availableReplicas ?? 0, replicas);
  expect("terminatingReplicas", status.terminatingReplicas, 0);
  expect("old ones beyond history", Math.max(0, old.length - spec.revisionHistoryLimit), 0);
  const reasonOf = (wanted: string) =>
    status.conditions?.find(({ type }) => type === wanted)?.reason;
  const hasDeadline = spec.progressDeadlineSeconds < 2 ** 31 - 1;
  expect(
    "Progressing",
    reasonOf("Progressing"),
    hasDeadline ? "NewReplicaSetAvailable" : undefined,
  );
  expect("Available", reasonOf("Available"), "MinimumReplicasAvailable");
  const revision = "deployment.kubernetes.io/revision";
  expect(
    "the revision",
    metadata.annotations?.[revision],
    current.metadata.annotations?.[revision],
  );
  const strays = sets.filter(
    (one) => !controllerOf(one) && one.metadata.labels?.app === metadata.name,
  );
  expect("the number of orphans", strays.length, 0);
  return problems;
}

const pods = async ({ client }: ConvergenceWorld): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace: "default" })).items;

const replicaSets = async ({ client }: ConvergenceWorld): Promise<readonly ReplicaSet[]> =>
  (await client.list(ReplicaSet, { namespace: "default" })).items;
