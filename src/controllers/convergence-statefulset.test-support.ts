import { ControllerRevision } from "../api/apps/v1/controller-revision.ts";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive, isPodReady } from "../api/core/v1/pod/pod-state.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { keyOf } from "../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import type { ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { hurtPod, randomPod, strangers } from "./convergence-pods.test-support.ts";
import { startOrdinal } from "./statefulset/ordinals.ts";
import { statefulSetController } from "./statefulset/stateful-set-controller.ts";

const labels = { app: "a" };

/** A stateful set with some of its pods in all states, owned or not, orphans of other names, and pods of others. */
export const statefulSetCase: ConvergenceCase = {
  name: "statefulset",
  controllers: [{ ...statefulSetController({ heedsMaxUnavailable: false }), concurrency: 5 }],

  async prepare(world) {
    const { client, number, pick, happens } = world;
    await strangers(world, [labels]);
    const made = await randomStatefulSet(world);
    const start = startOrdinal(made);
    // Volumes cannot be added to pods that are there.
    const hasClaims = made.spec.volumeClaimTemplates !== undefined;
    for (let i = start; i < start + 6; i++)
      if (!hasClaims && happens(0.3)) {
        const owner = happens(0.7) ? made : undefined;
        await randomPod(world, { labels, image: pick(["v1", "v2"]), name: `s-${i}`, owner });
      }
    for (let i = number(0, 2); i > 0; i--) await randomPod(world, { labels, image: "orphan" });
    const uids = new Map((await pods(world)).map(({ metadata }) => [metadata.name, metadata.uid]));

    return {
      async disturb() {
        const patch = (spec: object) =>
          client.patch(StatefulSet, { name: "s" }, { merge: { spec: spec as never } });
        const image = pick(["v1", "v2", "v3"]);
        await pick([
          () => patch({ template: { spec: { containers: [{ name: "web", image }] } } }),
          () => patch({ replicas: number(0, 6) }),
          () => patch({ updateStrategy: strategyOf(world) }),
          () => patch({ minReadySeconds: pick([0, 4]) }),
          () => hurtPod(world, (pod) => controllerOf(pod)?.kind === "StatefulSet"),
          () => hurtPod(world, (pod) => controllerOf(pod)?.kind === "StatefulSet"),
        ])();
      },

      changed({ type, object }) {
        if (object.kind !== "Pod") return undefined;
        const { name, uid } = object.metadata;
        const known = uids.get(name);
        if (type === "DELETED") uids.delete(name);
        else uids.set(name, uid);
        return known === undefined || known === uid || controllerOf(object)?.kind !== "StatefulSet"
          ? undefined
          : `there were two pods of the name ${name}`;
      },

      // As upstream, a scale-down in order waits for failed pods of several ordinals: somebody has to delete them.
      async release() {
        for (const pod of await pods(world))
          if (controllerOf(pod)?.kind === "StatefulSet" && hasEnded(pod))
            await client.delete(Pod, keyOf(pod));
      },

      async problems() {
        const set = await client.get(StatefulSet, { name: "s" });
        const revisions = (await client.list(ControllerRevision, { namespace: "default" })).items;
        const claims = (await client.list(PersistentVolumeClaim, { namespace: "default" })).items;
        const claimNames = claims.map(({ metadata }) => metadata.name ?? "");
        return problemsOf(set, { revisions, claimNames, all: await pods(world) });
      },
    };
  },
};

const hasEnded = ({ status }: Pod): boolean =>
  status.phase === "Failed" || status.phase === "Succeeded";

/** What is not as a stateful set wants it. */
function problemsOf(
  set: StatefulSet,
  {
    revisions,
    claimNames,
    all,
  }: {
    readonly revisions: readonly ControllerRevision[];
    readonly claimNames: readonly string[];
    readonly all: readonly Pod[];
  },
): readonly string[] {
  const { spec, status, metadata } = set;
  const { replicas = 1, updateStrategy } = spec;
  const start = startOrdinal(set);
  const own = all.filter((pod) => isControlledBy(pod, set));
  const names = own.map((pod) => pod.metadata.name ?? "").sort();
  const wanted = Array.from({ length: replicas }, (_, i) => `s-${start + i}`).sort();
  const problems: string[] = [];
  if (names.join() !== wanted.join()) problems.push(`there are ${names}, not ${wanted}`);
  if (!own.every((pod) => isPodActive(pod) && isPodReady(pod))) problems.push("not all are ready");
  const image = spec.template.spec.containers[0]?.image;
  const first = start + (updateStrategy.rollingUpdate?.partition ?? 0);
  const old = own.filter(
    (pod) =>
      Number(pod.metadata.name?.slice(2)) >= first && pod.spec.containers[0]?.image !== image,
  );
  if (updateStrategy.type === "RollingUpdate" && old.length > 0)
    problems.push(`${old.length} pods are not updated`);
  const counts = [status.replicas, status.readyReplicas ?? 0, status.availableReplicas];
  if (counts.some((count) => count !== replicas)) problems.push(`${replicas} pods, not ${counts}`);
  if (status.observedGeneration !== metadata.generation) problems.push("it was not looked at");
  const numbers = new Set(revisions.map(({ revision }) => revision));
  if (numbers.size !== revisions.length || numbers.size === 0)
    problems.push(`${revisions.length} revisions have ${numbers.size} numbers`);
  const hasClaims = (spec.volumeClaimTemplates ?? []).length > 0;
  const missing = wanted.filter((name) => hasClaims && !claimNames.includes(`data-${name}`));
  if (missing.length > 0) problems.push(`${missing} have no claims`);
  return problems;
}

async function randomStatefulSet(world: ConvergenceWorld): Promise<StatefulSet> {
  const { client, number, pick, happens } = world;
  return client.create(StatefulSet, {
    metadata: { name: "s" },
    spec: {
      replicas: number(0, 6),
      serviceName: "s",
      selector: { matchLabels: labels },
      minReadySeconds: pick([0, 0, 5]),
      revisionHistoryLimit: pick([0, 1, 10]),
      podManagementPolicy: pick(["OrderedReady", "Parallel"]),
      updateStrategy: strategyOf(world),
      ...(happens(0.3) && { ordinals: { start: number(1, 3) } }),
      ...(happens(0.5) && {
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
        persistentVolumeClaimRetentionPolicy: { whenDeleted: pick(["Retain", "Delete"]) },
      }),
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "v1" }] } },
    },
  });
}

const strategyOf = ({ pick }: ConvergenceWorld) =>
  pick([
    { type: "OnDelete", rollingUpdate: null },
    { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
  ]) as never;

const pods = async ({ client }: ConvergenceWorld): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace: "default" })).items;
