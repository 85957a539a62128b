import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { type Random, SeededRandom } from "../../base/random.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { keyOf, type ObjectKey, type ResourceKind } from "../../client/resource-kind.ts";
import type { Transport } from "../../client/transport.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import {
  below,
  convergeWorld,
  pick,
  type RandomWorld,
  type WorldFigures,
} from "../random-world.test-support.ts";
import { namespaceController } from "./namespace-controller.ts";

/**
 * Makes namespaces with content at random, has some of them deleted while the controller meets faults
 * and starts anew, and answers what is wrong with what comes of it: nothing, if all is well.
 */
export async function namespacesConverge(seed: number): Promise<WorldFigures> {
  const random = new SeededRandom(seed);
  const cluster = await startCluster({ clock: "virtual", seed });
  return convergeWorld(cluster, random, new World(cluster, random));
}

const holding = "example.com/hold";
const held = { metadata: { finalizers: null } };

interface Made {
  readonly name: string;
  /** Who else must let it go. */
  readonly finalizers: readonly string[];
  readonly content: { readonly kind: ResourceKind; readonly key: ObjectKey }[];
  isDeleted: boolean;
}

class World implements RandomWorld {
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #made: Made[] = [];
  readonly #wrong: string[] = [];
  #controller: AccountedCluster | undefined;
  #earlierWrites = 0;

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  get writes(): number {
    return this.#earlierWrites + (this.#controller?.writes.length ?? 0);
  }

  async populate(): Promise<void> {
    for (let i = 2 + below(this.#random, 4); i > 0; i--) await this.#create(`ns${i}`);
    if (this.#random.next() < 0.5) await this.deleteOne();
  }

  async start(): Promise<void> {
    const through = (): Transport => {
      const faulty = this.#cluster.faults.transport("namespace-controller");
      return (request) => {
        const [, name = ""] = /^\/api.*\/namespaces\/([^/]+)\//.exec(request.path) ?? [];
        const isOwn = this.#made.find((one) => one.name === name)?.isDeleted ?? false;
        if (request.method === "DELETE" && !isOwn)
          this.#wrong.push(`DELETE ${request.path}, which nobody has deleted`);
        return faulty(request);
      };
    };
    const runnables = [namespaceController({ concurrency: 10, resyncMs: 300_000 })];
    this.#controller = await accountedCluster({ runnables, through }, this.#cluster);
  }

  async stop(): Promise<void> {
    this.#earlierWrites = this.writes;
    await this.#controller?.stop();
    this.#controller = undefined;
  }

  #kill(): void {
    this.#earlierWrites = this.writes;
    this.#controller?.kill();
    this.#controller = undefined;
  }

  async act(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.5) await this.deleteOne();
    else if (dice < 0.85) await this.#release(pick(this.#random, this.#made));
    else {
      if (this.#random.next() < 0.5) await this.stop();
      else this.#kill();
      await this.start();
    }
  }

  async deleteOne(): Promise<void> {
    const one = pick(this.#random, this.#made);
    if (!one || one.isDeleted) return;
    one.isDeleted = true;
    await this.#cluster.client.delete(Namespace, { name: one.name });
  }

  async releaseAll(): Promise<void> {
    // What is not deleted yet may be held as before.
    for (const one of this.#made) if (one.isDeleted) await this.#release(one);
    // Pods that go have a kubelet that ends them.
    await this.#cluster.advance("2m");
    for (const one of this.#made) if (one.isDeleted) await this.#release(one);
  }

  /** What is not as it should be, now that all is done. */
  async faults(): Promise<string[]> {
    const all = await Promise.all(this.#made.map((one) => this.#faultsOf(one)));
    return [...this.#wrong, ...all.flat()];
  }

  async #faultsOf({ name, finalizers, content, isDeleted }: Made): Promise<readonly string[]> {
    const { client } = this.#cluster;
    const now = await ignoreNotFound(client.get(Namespace, { name }));
    const found = await Promise.all(
      content.map(({ kind, key }) => ignoreNotFound(client.get(kind, key))),
    );
    const left = found.filter((one) => one !== undefined).length;
    if (!isDeleted) {
      const isWhole = now?.status.phase === "Active" && left === content.length;
      return isWhole ? [] : [`${name} has lost ${content.length - left}, deleted by nobody`];
    }
    if (left > 0) return [`${name} still has ${left} of its content`];
    if (finalizers.length === 0) return now ? [`${name} is still there`] : [];
    const others = (now?.spec.finalizers ?? []).join();
    return others === finalizers.join() ? [] : [`${name} waits for ${others || "nobody"}`];
  }

  async #create(name: string): Promise<void> {
    const random = this.#random;
    const { client } = this.#cluster;
    const finalizers = random.next() < 0.2 ? ["example.com/other"] : [];
    await client.create(Namespace, { metadata: { name }, spec: { finalizers } });
    await client.create(ServiceAccount, { metadata: { name: "default", namespace: name } });
    const content: Made["content"] = [];
    for (let i = below(random, 5); i > 0; i--) {
      const own = random.next() < 0.4 ? [holding] : [];
      const metadata = { name: `c${i}`, namespace: name, finalizers: own };
      const isPod = random.next() < 0.4;
      const spec = {
        nodeName: random.next() < 0.5 ? "n1" : "",
        terminationGracePeriodSeconds: below(random, 60),
        containers: [{ name: "c", image: "i" }],
      };
      const made = isPod
        ? await client.create(Pod, { metadata, spec })
        : await client.create(ConfigMap, { metadata });
      content.push({ kind: isPod ? Pod : ConfigMap, key: keyOf(made) });
    }
    this.#made.push({ name, finalizers, content, isDeleted: false });
  }

  /** Takes away what holds its content, and ends its pods that are going. */
  async #release(one: Made | undefined): Promise<void> {
    const { client } = this.#cluster;
    for (const { kind, key } of one?.content ?? []) {
      await ignoreNotFound(client.patch(kind, key, { merge: held }));
      if (kind !== Pod) continue;
      const pod = await ignoreNotFound(client.get(Pod, key));
      if (pod?.metadata.deletionTimestamp)
        await ignoreNotFound(client.delete(Pod, key, { gracePeriodSeconds: 0 }));
    }
  }
}
