import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../../api/apps/v1/replica-set.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodActive } from "../../api/core/v1/pod/pod-state.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { replicaSetModule } from "../replicaset/replica-set-module.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { deploymentModule } from "./deployment-module.ts";

/** A cluster in which deployments are rolled out, and what tests do with the one that is called `web`. */
export interface DeploymentWorld extends RunningCluster {
  create(spec?: Record<string, unknown>, annotations?: Record<string, string>): Promise<Deployment>;
  /** Changes the spec by a merge patch, and waits for what comes of it. */
  change(spec: Record<string, unknown>): Promise<Deployment>;
  annotate(annotations: Record<string, string | null>): Promise<Deployment>;
  /** Has another image rolled out. */
  rollTo(image: string): Promise<Deployment>;
  get(): Promise<Deployment>;
  /** The replica sets, by the images of their templates. */
  replicaSets(): Promise<Record<string, ReplicaSet>>;
  /** How large they are, by image. */
  sizes(): Promise<Record<string, number>>;
  pods(image?: string): Promise<readonly Pod[]>;
  /** Makes pods ready, those of an image only if given, until no more come; deleted ones end. */
  makeReady(image?: string): Promise<void>;
  /** Has pods end that are deleted. */
  endDeleted(): Promise<void>;
  condition(type: string): Promise<string | undefined>;
  /** What was told of deployments, sorted, with hashes by image. */
  events(): Promise<string[]>;
}

export async function deploymentWorld(): Promise<DeploymentWorld> {
  const cluster = await runningCluster(...partsOf(deploymentModule), ...partsOf(replicaSetModule));
  const { client } = cluster;
  const get = async (): Promise<Deployment> => {
    await cluster.settled();
    return client.get(Deployment, { name: "web" });
  };
  const patched = async (merge: object): Promise<Deployment> => {
    await client.patch(Deployment, { name: "web" }, { merge: merge as never });
    return get();
  };
  const all = async (): Promise<readonly ReplicaSet[]> => {
    await cluster.settled();
    return (await client.list(ReplicaSet, { namespace: "default" })).items;
  };
  const pods = async (image?: string): Promise<readonly Pod[]> => {
    await cluster.settled();
    const { items } = await client.list(Pod, { namespace: "default" });
    return items.filter(({ spec }) => image === undefined || spec.containers[0]?.image === image);
  };
  const endDeleted = async (): Promise<void> => {
    for (const pod of await pods())
      if (pod.metadata.deletionTimestamp)
        await client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0 }).catch(unlessGone);
    await cluster.settled();
  };
  const makeReady = async (image?: string): Promise<void> => {
    for (let isBusy = true; isBusy; ) {
      await endDeleted();
      const waiting = (await pods(image)).filter(
        (pod) => isPodActive(pod) && pod.status.phase !== "Running",
      );
      for (const pod of waiting) await becomeReady(cluster, pod);
      isBusy = waiting.length > 0;
    }
  };
  return {
    ...cluster,
    get,
    pods,
    endDeleted,
    makeReady,
    async create(spec = {}, annotations = {}) {
      await client.create(Deployment, deployment(spec, annotations) as never);
      return get();
    },
    change: (spec) => patched({ spec }),
    annotate: (annotations) => patched({ metadata: { annotations } }),
    rollTo: (image) =>
      patched({ spec: { template: { spec: { containers: [{ name: "web", image }] } } } }),
    replicaSets: async () => Object.fromEntries((await all()).map((one) => [imageOf(one), one])),
    sizes: async () =>
      Object.fromEntries((await all()).map((one) => [imageOf(one), one.spec.replicas])),
    async condition(wanted) {
      const { conditions = [] } = (await get()).status;
      const found = conditions.find(({ type }) => type === wanted);
      return found && `${found.status} ${found.reason} ${found.message}`;
    },
    async events() {
      await cluster.advance("1s");
      const names = (await all()).map((one) => [one.metadata.name ?? "", imageOf(one)] as const);
      const { items } = await client.list(Event, { namespace: "default" });
      return items
        .filter(({ involvedObject }) => involvedObject.kind === "Deployment")
        .map(({ type, reason, message = "" }) => {
          const text = names.reduce((text, [name, image]) => text.replaceAll(name, image), message);
          return `${type} ${reason} ${text}`;
        })
        .sort();
    },
  };
}

export const imageOf = ({ spec }: ReplicaSet): string =>
  spec.template.spec.containers[0]?.image ?? "";

export const labels = { app: "web" };

const deployment = (spec: Record<string, unknown>, annotations: Record<string, string>) => ({
  metadata: { name: "web", annotations },
  spec: {
    replicas: 3,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "v1" }] } },
    ...spec,
  },
});

async function becomeReady({ client, clock }: RunningCluster, pod: Pod): Promise<void> {
  const lastTransitionTime = formatTime(timeFromMillis(clock.now()));
  const ready = { type: "Ready", status: "True", lastTransitionTime } as const;
  const status = { phase: "Running", conditions: [ready] };
  await client
    .patch(Pod, keyOf(pod), { strategic: { status } }, { subresource: "status" })
    .catch(unlessGone);
}

/** Who is not bound to a node is gone as soon as it is deleted. */
function unlessGone(error: unknown): void {
  if (!StatusError.is(error, "NotFound")) throw error;
}
