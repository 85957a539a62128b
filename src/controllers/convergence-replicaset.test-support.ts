import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive, isPodReady } from "../api/core/v1/pod/pod-state.ts";
import { keyOf } from "../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import type { ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { hurtPod, PodCensus, randomPod, strangers } from "./convergence-pods.test-support.ts";
import { replicaSetController } from "./replicaset/replica-set-controller.ts";

/** Replica sets with overlapping selectors, pods in all states, orphans, and pods of others. */
export const replicaSetCase: ConvergenceCase = {
  name: "replicaset",
  controllers: [{ ...replicaSetController, concurrency: 5 }],

  async prepare(world) {
    const { client, number, pick, happens } = world;
    await strangers(world, [{ app: "a" }, { app: "b" }]);
    const sets: ReplicaSet[] = [];
    for (let i = number(1, 3); i > 0; i--) sets.push(await randomReplicaSet(world, `rs${i}`));
    for (let i = number(0, 4); i > 0; i--)
      await randomPod(world, { labels: { app: pick(["a", "b"]) }, image: "orphan" });
    const going = new Set<string>();
    for (const one of sets)
      if (one.metadata.finalizers) {
        await client.delete(ReplicaSet, keyOf(one), { propagationPolicy: "Orphan" });
        going.add(one.metadata.uid ?? "");
      }
    const alive = sets.filter(({ metadata }) => !going.has(metadata.uid ?? ""));
    const begun = await pods(world);
    const census = new PodCensus(begun);
    const old = new Set(begun.map(({ metadata }) => metadata.uid));
    const largest = new Map(
      sets.map(({ metadata, spec }) => [
        metadata.uid,
        Math.max(spec.replicas, census.count(metadata.uid ?? "")),
      ]),
    );
    const lowered = new Set<string | undefined>();
    const hurt = new Set<string | undefined>();

    return {
      async disturb() {
        const pod = await hurtPod(world, (pod) => controllerOf(pod)?.kind === "ReplicaSet");
        hurt.add(pod?.metadata.uid);
        if (alive.length === 0 || happens(0.5)) return;
        const { metadata } = pick(alive);
        const now = await client.get(ReplicaSet, { name: metadata.name ?? "" });
        const replicas = number(0, 8);
        if (replicas < now.spec.replicas) lowered.add(metadata.uid);
        largest.set(metadata.uid, Math.max(replicas, largest.get(metadata.uid) ?? 0));
        await client.patch(ReplicaSet, keyOf(now), { merge: { spec: { replicas } } });
      },

      changed({ type, object }) {
        if (object.kind !== "Pod") return undefined;
        census.note({ type, object });
        const { uid, name, deletionTimestamp } = object.metadata;
        const owner = controllerOf(object);
        if (old.has(uid) || owner?.kind !== "ReplicaSet") return undefined;
        if (type === "ADDED") {
          if (going.has(owner.uid)) return `${name} was made for one that is being deleted`;
          const most = largest.get(owner.uid) ?? 0;
          const count = census.count(owner.uid);
          return count > most ? `${owner.name} had ${count} pods, ${most} at most` : undefined;
        }
        const isGone = type === "DELETED" || deletionTimestamp !== undefined;
        if (!isGone || hurt.has(uid) || lowered.has(owner.uid)) return undefined;
        return `${name} was made for ${owner.name} and deleted again`;
      },

      async release() {
        for (const one of sets.filter((one) => !alive.includes(one)))
          await client.patch(ReplicaSet, keyOf(one), { merge: { metadata: { finalizers: [] } } });
      },

      async problems() {
        const all = await pods(world);
        const problems: string[] = [];
        for (const { metadata } of alive) {
          const one = await client.get(ReplicaSet, { name: metadata.name ?? "" });
          problems.push(...problemsOf(one, all));
        }
        return problems;
      },
    };
  },
};

/** What is not as a replica set wants it. */
export function problemsOf(replicaSet: ReplicaSet, all: readonly Pod[]): readonly string[] {
  const { metadata, spec, status } = replicaSet;
  const { matchLabels = {} } = spec.selector ?? {};
  const isMeant = (pod: Pod): boolean =>
    Object.entries(matchLabels).every(([name, value]) => pod.metadata.labels?.[name] === value);
  const active = all.filter(isPodActive);
  const own = active.filter((pod) => isControlledBy(pod, replicaSet));
  const orphans = active.filter((pod) => !controllerOf(pod) && isMeant(pod));
  const { replicas } = spec;
  const expected = {
    pods: own.length,
    ready: own.filter(isPodReady).length,
    meant: own.filter(isMeant).length,
    replicas: status.replicas,
    readyReplicas: status.readyReplicas ?? 0,
    availableReplicas: status.availableReplicas ?? 0,
  };
  const problems = Object.entries(expected)
    .filter(([, count]) => count !== replicas)
    .map(([what, count]) => `${metadata.name}: ${what} is ${count}, not ${replicas}`);
  if (orphans.length > 0) problems.push(`${metadata.name} left ${orphans.length} orphans`);
  if (status.observedGeneration !== metadata.generation)
    problems.push(`${metadata.name} was not looked at`);
  return problems;
}

async function randomReplicaSet(world: ConvergenceWorld, name: string): Promise<ReplicaSet> {
  const { client, number, pick, happens } = world;
  const labels = { app: pick(["a", "b"]) };
  const image = pick(["v1", "v2"]);
  const minReadySeconds = pick([0, 0, 5]);
  const made = await client.create(ReplicaSet, {
    metadata: { name, ...(happens(0.15) && { finalizers: ["example.com/wait"] }) },
    spec: {
      replicas: number(0, 8),
      minReadySeconds,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
    },
  });
  for (let i = number(0, 8); i > 0; i--)
    await randomPod(world, {
      labels: happens(0.9) ? labels : { app: "another" },
      image,
      owner: made,
    });
  return made;
}

const pods = async ({ client }: ConvergenceWorld): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace: "default" })).items;
