import { ControllerRevision } from "../api/apps/v1/controller-revision.ts";
import { DaemonSet } from "../api/apps/v1/daemon-set.ts";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive, isPodReady } from "../api/core/v1/pod/pod-state.ts";
import { controllerOf, isControlledBy } from "../controller-runtime/objects/owner-references.ts";
import { selectorFromSet } from "../schema/selectors/label-selector.ts";
import type { ConvergenceCase, ConvergenceWorld } from "./convergence.test-support.ts";
import { hurtPod, randomPod, strangers } from "./convergence-pods.test-support.ts";
import { targetNode } from "./daemonset/daemon-pod.ts";
import { daemonSetController } from "./daemonset/daemon-set-controller.ts";
import { daemonSetPlacement } from "./daemonset/daemon-set-placement.ts";

const nodeNames = ["n1", "n2", "n3", "n4"];
const labels = { app: "a" };

/** A daemon set on nodes that change their labels and taints, with pods in all states, orphans, and pods of others. */
export const daemonSetCase: ConvergenceCase = {
  name: "daemonset",

  // A backoff belongs to one clock, and so to one seed.
  get controllers() {
    return [{ ...daemonSetController(), account: "daemon-set-controller", concurrency: 2 }];
  },

  async prepare(world) {
    const { client, number, pick } = world;
    await strangers(world, [labels]);
    for (const name of nodeNames) {
      await client.create(Node, { metadata: { name, labels: { disk: pick(["fast", "slow"]) } } });
      await change(world, name);
    }
    const made = await randomDaemonSet(world);
    for (let i = number(0, 5); i > 0; i--)
      await randomPod(world, { labels, image: "v1", owner: made });
    for (let i = number(0, 3); i > 0; i--) await randomPod(world, { labels, image: "orphan" });
    const old = new Set((await pods(world)).map(({ metadata }) => metadata.uid));
    /** The pods that were made and are not about to end, by uid. */
    const placed = new Map<string | undefined, string>();

    return {
      async disturb() {
        const image = pick(["v1", "v2", "v3"]);
        const patch = (spec: object) =>
          client.patch(DaemonSet, { name: "d" }, { merge: { spec: spec as never } });
        await pick([
          () => patch({ template: { spec: { containers: [{ name: "web", image }] } } }),
          () => patch({ updateStrategy: strategyOf(world) }),
          () => patch({ minReadySeconds: pick([0, 4]) }),
          () => change(world, pick(nodeNames)),
          () => hurtPod(world, (pod) => controllerOf(pod)?.kind === "DaemonSet"),
        ])();
      },

      changed({ type, object }) {
        const pod = object as Pod;
        const { uid, name } = object.metadata;
        if (object.kind !== "Pod" || old.has(uid)) return undefined;
        placed.delete(uid);
        if (type === "DELETED" || controllerOf(pod)?.kind !== "DaemonSet" || !isPodActive(pod))
          return undefined;
        const place = `${targetNode(pod)} ${pod.metadata.labels?.["controller-revision-hash"]}`;
        const twins = [...placed.values()].filter((one) => one === place).length;
        placed.set(uid, place);
        return type === "ADDED" && twins > 0 ? `${name} was made twice for ${place}` : undefined;
      },

      release: async () => undefined,

      async problems() {
        const daemonSet = await client.get(DaemonSet, { name: "d" });
        const nodes = (await client.list(Node)).items;
        const revisions = (await client.list(ControllerRevision, { namespace: "default" })).items;
        return problemsOf(daemonSet, { nodes, revisions, all: await pods(world) });
      },
    };
  },
};

const isMeant = ({ metadata }: Pod): boolean => selectorFromSet(labels).matches(metadata.labels);

interface Found {
  readonly nodes: readonly Node[];
  readonly revisions: readonly ControllerRevision[];
  readonly all: readonly Pod[];
}

/** What is not as a daemon set wants it. */
function problemsOf(daemonSet: DaemonSet, { nodes, revisions, all }: Found): readonly string[] {
  const { status, metadata } = daemonSet;
  const active = all.filter(isPodActive);
  const own = active.filter((pod) => isControlledBy(pod, daemonSet));
  const problems = nodes.flatMap((node) => problemsOn(node, daemonSet, own));
  const placementOn = daemonSetPlacement(daemonSet);
  const desired = nodes.filter((node) => placementOn(node).shouldRun).length;
  const orphans = active.filter((pod) => !controllerOf(pod) && isMeant(pod));
  if (orphans.length > 0) problems.push(`${orphans.length} orphans are left`);
  const counts = [
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.numberAvailable ?? 0,
  ];
  if (counts.some((count) => count !== desired)) problems.push(`${desired} nodes, not ${counts}`);
  if (status.observedGeneration !== metadata.generation) problems.push("it was not looked at");
  const numbers = new Set(revisions.map(({ revision }) => revision));
  if (numbers.size !== revisions.length || numbers.size === 0)
    problems.push(`${revisions.length} revisions have ${numbers.size} numbers`);
  return problems;
}

/** What is not right on a node. */
function problemsOn(node: Node, daemonSet: DaemonSet, own: readonly Pod[]): string[] {
  const { name } = node.metadata;
  const { template, updateStrategy } = daemonSet.spec;
  const there = own.filter((pod) => targetNode(pod) === name);
  const { shouldRun, mayStay } = daemonSetPlacement(daemonSet)(node);
  const isRight = shouldRun ? there.length === 1 : there.length <= (mayStay ? 1 : 0);
  const problems = isRight ? [] : [`${name} has ${there.length} pods`];
  if (!shouldRun) return problems;
  if (!there.every(isPodReady)) problems.push(`${name} has a pod that is not ready`);
  const image = template.spec.containers[0]?.image;
  const isOld = there.some((pod) => pod.spec.containers[0]?.image !== image);
  if (isOld && updateStrategy.type === "RollingUpdate") problems.push(`${name} is not updated`);
  return problems;
}

/** Gives a node random labels and taints. */
async function change({ client, pick }: ConvergenceWorld, name: string): Promise<void> {
  const taints = pick([
    null,
    null,
    [{ key: "own", effect: "NoSchedule" }],
    [{ key: "own", effect: "NoExecute" }],
    [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
  ]);
  const disk = pick(["fast", "fast", "slow"]);
  const merge = { metadata: { labels: { disk } }, spec: { taints } };
  await client.patch(Node, { name }, { merge: merge as never });
}

async function randomDaemonSet(world: ConvergenceWorld): Promise<DaemonSet> {
  const { client, pick, happens } = world;
  return client.create(DaemonSet, {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: labels },
      minReadySeconds: pick([0, 0, 5]),
      revisionHistoryLimit: pick([0, 1, 10]),
      updateStrategy: strategyOf(world),
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "web", image: "v1" }],
          ...(happens(0.5) && { nodeSelector: { disk: "fast" } }),
        },
      },
    },
  });
}

const strategyOf = ({ pick }: ConvergenceWorld) =>
  pick([
    { type: "OnDelete", rollingUpdate: null },
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "50%", maxSurge: 0 } },
    { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 2 } },
  ]) as never;

const pods = async ({ client }: ConvergenceWorld): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace: "default" })).items;
