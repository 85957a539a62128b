import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { isPodActive } from "../api/core/v1/pod/pod-state.ts";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { type KubernetesObject, keyOf } from "../client/resource-kind.ts";
import { controllerOf, withController } from "../controller-runtime/objects/owner-references.ts";
import { type Change, type ConvergenceWorld, makeReady } from "./convergence.test-support.ts";

type Labels = Readonly<Record<string, string>>;

export interface RandomPod {
  readonly labels: Labels;
  readonly image: string;
  /** Generated if not given. */
  readonly name?: string | undefined;
  readonly owner?: KubernetesObject | undefined;
  readonly namespace?: string | undefined;
}

/** Makes a pod that is in any state that there is. */
export async function randomPod(world: ConvergenceWorld, wanted: RandomPod): Promise<Pod> {
  const { client, cluster, pick } = world;
  const { labels, image, name, owner, namespace = "default" } = wanted;
  const state = pick(podStates);
  const pod = {
    metadata: { ...(name ? { name } : { generateName: "p-" }), namespace, labels },
    spec: {
      containers: [{ name: "web", image }],
      ...(state !== "unbound" && { nodeName: pick(["n1", "n2", "n3"]) }),
    },
  };
  const made = await client.create(Pod, owner ? withController(pod, owner) : pod);
  const key = keyOf(made);
  if (state === "Ready" || state === "terminating") await makeReady(cluster, made);
  if (state === "Running" || state === "Failed" || state === "Succeeded" || state === "Unknown")
    await client.patch(
      Pod,
      key,
      { merge: { status: { phase: state } } },
      { subresource: "status" },
    );
  if (state === "terminating") await client.delete(Pod, key);
  return client.get(Pod, key);
}

const podStates = [
  "unbound",
  "Pending",
  "Running",
  "Ready",
  "Ready",
  "Failed",
  "Succeeded",
  "Unknown",
  "terminating",
] as const;

/** Makes what is nobody's business although it looks like it: pods of others, and those of another namespace. */
export async function strangers(world: ConvergenceWorld, labels: readonly Labels[]): Promise<void> {
  const { client, number, pick } = world;
  const other = await client.create(ConfigMap, { metadata: { name: "other" } });
  const namespace = "elsewhere";
  await client.create(Namespace, { metadata: { name: namespace } });
  await client.create(ServiceAccount, { metadata: { name: "default", namespace } });
  const image = "stranger";
  for (let i = number(0, 3); i > 0; i--)
    world.leaveAlone(await randomPod(world, { labels: pick(labels), image, owner: other }));
  for (let i = number(0, 2); i > 0; i--)
    world.leaveAlone(await randomPod(world, { labels: pick(labels), image, namespace }));
  for (let i = number(0, 2); i > 0; i--)
    world.leaveAlone(await randomPod(world, { labels: { app: "nobody" }, image }));
}

/** Has somebody delete a pod, or has one fail; resolves with it. */
export async function hurtPod(
  { client, pick, happens }: ConvergenceWorld,
  isMeant: (pod: Pod) => boolean,
): Promise<Pod | undefined> {
  const pods = (await client.list(Pod, { namespace: "default" })).items.filter(
    (pod) => isPodActive(pod) && isMeant(pod),
  );
  if (pods.length === 0) return undefined;
  const pod = pick(pods);
  if (happens(0.5)) await client.delete(Pod, keyOf(pod));
  else
    await client.patch(
      Pod,
      keyOf(pod),
      { merge: { status: { phase: "Failed" } } },
      { subresource: "status" },
    );
  return pod;
}

/** The active pods of each owner, as changes have it. */
export class PodCensus {
  readonly #active = new Map<string, Set<string>>();

  constructor(pods: readonly Pod[]) {
    for (const object of pods) this.note({ type: "ADDED", object });
  }

  note({ type, object }: Change): void {
    const uid = object.metadata.uid ?? "";
    for (const pods of this.#active.values()) pods.delete(uid);
    const owner = controllerOf(object)?.uid;
    if (type === "DELETED" || owner === undefined || !isPodActive(object as Pod)) return;
    const pods = this.#active.get(owner) ?? new Set();
    this.#active.set(owner, pods.add(uid));
  }

  count(owner: string): number {
    return this.#active.get(owner)?.size ?? 0;
  }
}
