import { expect, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { kinds } from "../../api/kinds.generated.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { RoleBinding } from "../../api/rbac/v1/role-binding.ts";
import { admin, openServer } from "../../apiserver/in-process.test-support.ts";
import type { ApiServer } from "../../apiserver/server.ts";
import { seededEntropy } from "../../base/entropy.ts";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { type Client, createClient } from "../../client/client.ts";
import { dynamicKind, type ResourceKind } from "../../client/resource-kind.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { inProcessTransport } from "./in-process-transport.ts";

/** A server, and all parts that a fork of it needs. */
class World {
  readonly server: ApiServer;
  readonly client: Client;
  readonly #parts: { store: MemoryStore; clock: VirtualClock; random: SeededRandom };
  readonly events: string[] = [];
  readonly #watching = new AbortController();

  constructor(
    server: ApiServer,
    parts: { store: MemoryStore; clock: VirtualClock; random: SeededRandom },
  ) {
    const { clock } = parts;
    this.server = server;
    this.#parts = parts;
    this.client = createClient(inProcessTransport(server.handle, admin), { clock });
  }

  static async open(): Promise<World> {
    // Only promises are pending here: all are settled by the next turn of the event loop.
    const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
    const clock = new VirtualClock(Date.UTC(2026, 0, 1), { settle });
    const store = new MemoryStore(clock);
    const random = new SeededRandom(1);
    const entropy = seededEntropy(random);
    const server = await openServer(clock, store, { random, entropy });
    return new World(server, { store, clock, random });
  }

  fork(): World {
    const clock = this.#parts.clock.fork();
    const store = this.#parts.store.fork(clock);
    const random = this.#parts.random.fork();
    const server = this.server.fork({ store, clock, random, entropy: seededEntropy(random) });
    return new World(server, { store, clock, random });
  }

  get clock(): VirtualClock {
    return this.#parts.clock;
  }
  get store(): MemoryStore {
    return this.#parts.store;
  }

  /** Records all changes of some kinds from a resource version on. */
  async watch(resourceVersion: string): Promise<void> {
    for (const kind of [ConfigMap, Service, Namespace]) {
      void (async () => {
        const { signal } = this.#watching;
        const how = { resourceVersion, signal, allowWatchBookmarks: false };
        for await (const event of this.client.watch<object>(kind, how))
          this.events.push(`${kind.kind} ${JSON.stringify(event)}`);
      })().catch(() => {});
      // Sequentially: the order of calls decides which random numbers each one gets.
      await this.clock.advance(0);
    }
  }

  /** All objects and events that clients can observe. */
  async state(): Promise<unknown> {
    await this.clock.advance(0);
    const lists: unknown[] = [];
    for (const kind of [...(kinds as readonly ResourceKind[]), Boat]) {
      if (kind === Event) continue;
      lists.push(await this.client.list(kind).catch((error: Error) => error.message));
    }
    lists.push((await this.client.list(Event)).items);
    const allowed: boolean[] = [];
    for (const user of users)
      allowed.push(
        await this.client
          .as({ user })
          .list(ConfigMap, { namespace: "default" })
          .then(
            () => true,
            () => false,
          ),
      );
    return { lists, allowed, events: [...this.events].sort() };
  }

  async close(): Promise<void> {
    this.#watching.abort();
    this.server.close();
    await this.store.close();
  }
}

const users = ["ann", "bob", "cy"];
const Boat = dynamicKind({
  group: "example.com",
  version: "v1",
  kind: "Boat",
  plural: "boats",
  scope: "Namespaced",
});
const boats = {
  metadata: { name: "boats.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "boats", kind: "Boat" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

type Step = (world: World) => Promise<unknown>;

/** A random request, which may be rejected. */
function stepOf(random: SeededRandom): Step {
  const below = (n: number): number => Math.floor(random.next() * n);
  const name = `x-${below(5)}`;
  const metadata = { name, namespace: "default" };
  const value = String(below(1000));
  const ms = below(60_000);
  const user = users[below(users.length)] as string;
  const steps: Step[] = [
    ({ client }) => client.create(ConfigMap, { metadata, data: { value } }),
    ({ client }) => client.create(ConfigMap, { metadata: { generateName: "gen-" } }),
    ({ client }) => client.patch(ConfigMap, metadata, { merge: { data: { value } } }),
    ({ client }) => client.delete(ConfigMap, metadata),
    ({ client }) => client.create(Service, { metadata, spec: { ports: [{ port: 80 }] } }),
    ({ client }) =>
      client.create(Service, { metadata, spec: { type: "NodePort", ports: [{ port: 80 }] } }),
    ({ client }) => client.delete(Service, metadata),
    ({ client }) => client.create(Namespace, { metadata: { name } }),
    ({ client }) => client.delete(Namespace, { name }),
    ({ client }) => client.delete(Service, { namespace: "default", name: "kubernetes" }),
    ({ client }) =>
      client.create(RoleBinding, {
        metadata,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: user }],
      }),
    ({ client }) => client.delete(RoleBinding, metadata),
    ({ client }) =>
      client.create(ClusterRole, {
        metadata: { name: "reader" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
      }),
    ({ client }) => client.delete(ClusterRole, { name: "reader" }),
    ({ client }) => client.as({ user }).list(ConfigMap, { namespace: "default" }),
    ({ client }) => client.create(CustomResourceDefinition, boats),
    ({ client }) => client.delete(CustomResourceDefinition, boats.metadata),
    ({ client }) => client.create(Boat, { metadata, value }),
    ({ client }) => client.patch(Boat, metadata, { merge: { value } }),
    ({ client }) => client.delete(Boat, metadata),
    ({ client }) =>
      client.create(Event, {
        metadata,
        involvedObject: { namespace: "default", name, kind: "Pod" },
      }),
    ({ clock }) => clock.advance(ms),
  ];
  return steps[below(steps.length)] as Step;
}

async function take(world: World, step: Step): Promise<void> {
  try {
    await step(world);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
  await world.clock.advance(0);
}

const stepsOf = (random: SeededRandom, count: number): Step[] =>
  Array.from({ length: count }, () => stepOf(random));

/** The observable state of a single server after the same steps. */
async function alone(steps: readonly Step[], watchAfter: number): Promise<unknown> {
  const world = await World.open();
  for (const [i, step] of steps.entries()) {
    if (i === watchAfter)
      await world.watch((await world.client.list(Namespace)).metadata.resourceVersion);
    await take(world, step);
  }
  const state = await world.state();
  await world.close();
  return state;
}

const seeds = Array.from({ length: 20 }, (_, i) => i + Number(process.env.WHERRY_SEED ?? 0));

test.each(seeds)("a server and its forks behave like separate servers: seed %i", async (seed) => {
  const random = new SeededRandom(seed);
  const [before, first, second, third] = [15, 12, 12, 12].map((count) =>
    stepsOf(random, count),
  ) as [Step[], Step[], Step[], Step[]];
  const parent = await World.open();
  for (const step of before) await take(parent, step);
  // The single server also requests the version before watching.
  const { resourceVersion } = (await parent.client.list(Namespace)).metadata;
  const fork = parent.fork();
  await parent.watch(resourceVersion);
  await fork.watch(resourceVersion);
  const half = second.length / 2;
  const grandchildSteps = [...second.slice(0, half), ...third];
  const [left, right] = [[...first], second.slice(0, half)];
  const interleave = async (): Promise<void> => {
    while (left.length + right.length > 0) {
      const isLeft = right.length === 0 || (left.length > 0 && random.next() < 0.5);
      const step = (isLeft ? left : right).shift() as Step;
      await take(isLeft ? parent : fork, step);
    }
  };
  await interleave();
  const grandchild = fork.fork();
  const later = [...second.slice(half)];
  for (const step of third) {
    await take(grandchild, step);
    const next = later.shift();
    if (next) await take(fork, next);
  }
  const shown = [await parent.state(), await fork.state()];
  const { lists } = (await grandchild.state()) as { lists: unknown };
  for (const world of [parent, fork, grandchild]) await world.close();
  expect(shown[0]).toEqual(await alone([...before, ...first], before.length));
  expect(shown[1]).toEqual(await alone([...before, ...second], before.length));
  const reference = (await alone([...before, ...grandchildSteps], before.length)) as typeof shown;
  expect(lists).toEqual((reference as unknown as { lists: unknown }).lists);
});

test("a fork of a server with 10,000 objects writes nothing, is cheap and leaks nothing", async () => {
  const parent = await World.open();
  const one = await parent.client.create(ConfigMap, {
    metadata: { name: "one" },
    data: { a: "b" },
  });
  for (let from = 0; from < 10_000; from += 100) {
    const ops = Array.from({ length: 100 }, (_, i) => {
      const name = `map-${from + i}`;
      const metadata = { ...one.metadata, name };
      const value = ConfigMap.form.toBytes({ ...one, metadata });
      return { type: "put", key: `/registry/configmaps/default/${name}`, value } as const;
    });
    await parent.store.commit(ops);
  }
  const { items } = await parent.client.list(ConfigMap, { namespace: "default" });
  const revision = await parent.store.currentRevision();
  const times: number[] = [];
  for (let i = 0; i < 51; i++) {
    const begun = performance.now();
    const fork = parent.fork();
    times.push(performance.now() - begun);
    expect(await fork.store.currentRevision()).toBe(revision);
    if (i === 0) {
      const { length } = (await fork.client.list(ConfigMap, { namespace: "default" })).items;
      expect([length, (await fork.client.get(ConfigMap, { name: "one" })) === one]).toEqual([
        10_001,
        true,
      ]);
      await fork.client.delete(ConfigMap, { name: "one" });
    }
    await fork.close();
    expect(fork.clock.pending).toBe(0);
  }
  expect(items.length).toBe(10_001);
  expect(await parent.client.get(ConfigMap, { name: "one" })).toBe(one);
  // It takes 0.2 ms on an idle machine; other tests run at the same time.
  expect(times.sort((a, b) => a - b)[25]).toBeLessThan(5);
  await parent.close();
});
