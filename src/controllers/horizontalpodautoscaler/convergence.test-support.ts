import { Deployment } from "../../api/apps/v1/deployment.ts";
import { HorizontalPodAutoscaler } from "../../api/autoscaling/v2/horizontal-pod-autoscaler.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { type Random, SeededRandom } from "../../base/random.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { keyOf, type ResourceKind } from "../../client/resource-kind.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import {
  below,
  convergeWorld,
  pick,
  type RandomWorld,
  type WorldFigures,
} from "../random-world.test-support.ts";

/**
 * Has pods share a load of random size, and their autoscaler meet faults and kills while what is declared changes;
 * returns what is wrong in the end: the size must fit the load, and nothing may be written any more.
 */
export async function autoscalersConverge(seed: number): Promise<WorldFigures> {
  const random = new SeededRandom(seed);
  const cluster = await startCluster({ clock: "virtual", nodes: 1, seed, namespace: "default" });
  return convergeWorld(cluster, random, new World(cluster, random));
}

const requested = 200;
const name = "web";

class World implements RandomWorld {
  writes = 0;
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #load: number;
  readonly #watching = new AbortController();
  readonly #wrong: string[] = [];

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
    this.#load = 50 + below(random, 1500);
  }

  async populate(): Promise<void> {
    const { client } = this.#cluster;
    await client.create(Deployment, deployment(name, this.#number(1, 6), this.#load));
    await client.create(Deployment, deployment("other", 2, 10));
    await client.create(HorizontalPodAutoscaler, this.#autoscaler());
    await this.#cluster.advance("1m");
  }

  async start(): Promise<void> {
    void this.#follow(HorizontalPodAutoscaler, () => {});
    void this.#follow(Deployment, ({ metadata, spec }) => {
      if (metadata.name === "other" && spec.replicas !== 2)
        this.#wrong.push("a deployment without an autoscaler was scaled");
    });
    await this.#cluster.settled();
  }

  async stop(): Promise<void> {
    this.#watching.abort();
  }

  async act(): Promise<void> {
    const { client, faults } = this.#cluster;
    const merge = (spec: object) => ({ merge: { spec } as never });
    const { spec } = this.#autoscaler();
    switch (pick(this.#random, ["crash", "bounds", "scale", "pod", "again"])) {
      case "crash":
        faults.crash("kube-controller-manager");
        return;
      case "bounds":
        await ignoreNotFound(client.patch(HorizontalPodAutoscaler, { name }, merge(spec)));
        return;
      case "scale":
        await client.patch(Deployment, { name }, merge({ replicas: this.#number(1, 9) }));
        return;
      case "pod": {
        const pod = pick(this.#random, (await client.list(Pod, { namespace: "default" })).items);
        if (pod) await ignoreNotFound(client.delete(Pod, keyOf(pod)));
        return;
      }
      default:
        await client.delete(HorizontalPodAutoscaler, { name });
        await client.create(HorizontalPodAutoscaler, this.#autoscaler());
    }
  }

  async releaseAll(): Promise<void> {}

  /** Whether the size fits the load, as closely as an autoscaler tries. */
  async faults(): Promise<string[]> {
    const { client } = this.#cluster;
    const { spec, status } = await client.get(HorizontalPodAutoscaler, { name });
    const { replicas = 0 } = (await client.get(Deployment, { name })).spec;
    const { minReplicas: min = 1, maxReplicas: max, metrics = [] } = spec;
    const target = metrics[0]?.resource?.target.averageUtilization ?? 0;
    const ratio = (100 * this.#load) / (replicas * requested) / target;
    const fits =
      Math.abs(ratio - 1) <= 0.1 ||
      (replicas === min && ratio < 1) ||
      (replicas === max && ratio > 1) ||
      // One less would be too few.
      (ratio < 1 && Math.ceil(ratio * replicas) >= replicas);
    if (replicas < min || replicas > max) this.#wrong.push(`${replicas} are out of bounds`);
    if (!fits) this.#wrong.push(`${replicas} pods of ${min} to ${max}, ${ratio} of the target`);
    if (status.desiredReplicas !== replicas || status.currentReplicas !== replicas)
      this.#wrong.push(`the status says ${status.currentReplicas} of ${status.desiredReplicas}`);
    return this.#wrong;
  }

  #autoscaler() {
    const min = this.#number(1, 3);
    const averageUtilization = this.#number(30, 100);
    return {
      metadata: { name },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: min,
        maxReplicas: min + this.#number(0, 6),
        metrics: [
          {
            type: "Resource" as const,
            resource: { name: "cpu", target: { type: "Utilization" as const, averageUtilization } },
          },
        ],
      },
    };
  }

  #number(least: number, most: number): number {
    return least + below(this.#random, most - least + 1);
  }

  async #follow<O extends Deployment | HorizontalPodAutoscaler>(
    kind: ResourceKind<O>,
    notice: (object: O) => void,
  ): Promise<void> {
    const { client } = this.#cluster;
    const { signal } = this.#watching;
    let { resourceVersion = "" } = (await client.list(kind)).metadata;
    try {
      while (!signal.aborted)
        for await (const event of client.watch(kind, { resourceVersion, signal })) {
          resourceVersion = event.object.metadata.resourceVersion ?? "";
          if (event.type === "BOOKMARK") continue;
          this.writes++;
          notice(event.object as O);
        }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

const deployment = (app: string, replicas: number, load: number) =>
  ({
    metadata: { name: app },
    spec: {
      ...{ replicas, selector: { matchLabels: { app } } },
      template: {
        metadata: { labels: { app }, annotations: { "wherry.dev/cpu": `0s=${load}m shared` } },
        spec: {
          containers: [
            { name: "c", image: "app:1", resources: { requests: { cpu: `${requested}m` } } },
          ],
        },
      },
    },
  }) as never;
