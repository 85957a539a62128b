import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { sleep } from "../../base/clock.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { type Transport, TransportError } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createManager } from "../manager/manager.ts";
import type { ManagerOptions } from "../manager/manager-options.ts";
import { withController } from "../objects/owner-references.ts";
import { controller } from "../reconcile/controller.ts";
import type { ReconcileContext } from "../reconcile/controller-definition.ts";
import { type Cache, cached } from "./cache.ts";

let api: TestApi;
let stops: (() => Promise<unknown>)[];
/** How long a watch of secrets takes to tell what happened, in milliseconds. */
let lag: number;
/** The cache of the manager, which waits for nobody's writes. */
let shared: Cache;
beforeEach(async () => {
  api = await openTestApi();
  stops = [];
  lag = 0;
});
afterEach(async () => {
  lag = 0;
  for (const stop of stops) {
    const ended = stop();
    await api.clock.advance(60_000);
    await ended;
  }
  await api.close();
});

/** The transport, with watches of secrets that lag behind. */
const lagging: Transport = async (request) => {
  const response = await api.transport(request);
  if (!request.path.endsWith("/secrets") || !request.query.includes("watch=true")) return response;
  return {
    ...response,
    async *values() {
      for await (const batch of response.values()) {
        if (lag > 0) await sleep(api.clock, lag, request.signal);
        yield batch;
      }
    },
  };
};

async function start(
  reconcile: (ctx: ReconcileContext, parent: ConfigMap) => Promise<unknown>,
  options: Partial<ManagerOptions> & { readonly readsOwnWrites?: boolean } = {},
): Promise<{ errors: string[] }> {
  const { readsOwnWrites, ...rest } = options;
  const { clock, random } = api;
  const errors: string[] = [];
  const manager = createManager({
    transport: lagging,
    clock,
    random,
    ...rest,
    controllers: [
      controller({
        name: "parents",
        for: ConfigMap,
        owns: [Secret],
        readsOwnWrites,
        async reconcile(key, ctx) {
          const parent = await ctx.cache.get(ConfigMap, key);
          if (parent?.metadata.name !== "parent") return;
          await reconcile(ctx, parent).catch((error: Error) => {
            errors.push(error.message);
            throw error;
          });
        },
      }),
    ],
  });
  shared = manager.cache;
  const stop = new AbortController();
  const ended = manager.run({ signal: stop.signal });
  stops.push(() => {
    stop.abort();
    return ended;
  });
  await clock.advance(20);
  return { errors };
}

/** Changes the parent now and then, which is a reason to look again each time. */
async function touchParent(times = 10): Promise<void> {
  await api.client.create(ConfigMap, { metadata: { name: "parent" } }).catch(() => undefined);
  for (let i = 0; i < times; i++) {
    const merge = { data: { touched: `${api.clock.now()}` } };
    await api.client.patch(ConfigMap, { name: "parent" }, { merge });
    await api.clock.advance(500);
  }
}

const childOf = (parent: KubernetesObject, rest: object = {}) =>
  withController(
    { metadata: { generateName: "child-", namespace: "default", ...rest } },
    parent,
  ) as never;

async function secrets(): Promise<readonly Secret[]> {
  return (await api.client.list(Secret, { namespace: "default" })).items;
}

/** Wants three children, and creates those that it does not see. */
async function threeChildren({ cache, client }: ReconcileContext, parent: ConfigMap) {
  const children = await cache.controlledBy(Secret, parent);
  for (let count = children.length; count < 3; count++)
    await client.create(Secret, childOf(parent));
}

test("without readsOwnWrites, a late cache leads to more children than wanted", async () => {
  await start(threeChildren, { readsOwnWrites: false });
  lag = 1_700;
  await touchParent();
  await api.clock.advance(10_000);
  expect((await secrets()).length).toBeGreaterThan(3);
});

test("a reconcile reads the writes of the previous one, however late the watch is", async () => {
  const { errors } = await start(threeChildren);
  lag = 1_700;
  await touchParent();
  await api.clock.advance(10_000);
  expect([await secrets(), errors]).toMatchObject([{ length: 3 }, []]);
});

test("a reconcile reads its own writes", async () => {
  const seen: number[] = [];
  await start(async ({ cache, client }, parent) => {
    if ((await cache.controlledBy(Secret, parent)).length > 0) return;
    await client.create(Secret, childOf(parent, { name: "a" }));
    seen.push((await cache.controlledBy(Secret, parent)).length);
    const key = { namespace: "default", name: "a" };
    await client.patch(Secret, key, { merge: { type: undefined, data: { x: "MQ==" } } });
    seen.push(Object.keys((await cache.get(Secret, key))?.data ?? {}).length);
    await client.delete(Secret, key);
    seen.push((await cache.list(Secret, { namespace: "default" })).length);
    await client.create(Secret, childOf(parent, { name: "a" }));
    await client.delete(Secret, key);
    seen.push((await cache.list(Secret, { namespace: "default" })).length);
    await client.create(Secret, childOf(parent, { name: "b" }));
  });
  lag = 1_000;
  await touchParent(1);
  await api.clock.advance(10_000);
  expect(seen).toEqual([1, 1, 0, 0]);
  expect((await secrets()).map(({ metadata }) => metadata.name)).toEqual(["b"]);
});

test("an object that was created and deleted does not reappear from a cache that lags behind", async () => {
  const seen = new Set<number>();
  let begun = 0;
  await start(async ({ cache, client, clock }, parent) => {
    begun++;
    if (begun > 1) return;
    const { metadata } = await client.create(Secret, childOf(parent));
    await client.delete(Secret, { namespace: "default", name: metadata.name ?? "" });
    for (let i = 0; i < 20; i++) {
      seen.add((await cache.list(Secret, { namespace: "default" })).length);
      await sleep(clock, 100);
    }
  });
  lag = 1_000;
  await touchParent(1);
  await api.clock.advance(5_000);
  expect([...seen]).toEqual([0]);
});

test("a reconcile starts once all caches show the writes of the previous one", async () => {
  const seen: number[] = [];
  await start(async ({ client }, parent) => {
    seen.push((await shared.list(Secret, { namespace: "default" })).length);
    if (seen.length < 4) await client.create(Secret, childOf(parent));
  });
  lag = 1_000;
  await touchParent(1);
  await api.clock.advance(10_000);
  expect(seen.slice(0, 4)).toEqual([0, 1, 2, 3]);
});

test("an update without a change and the deletion of a missing object are not waited for", async () => {
  await api.client.create(Secret, { metadata: { name: "a" }, data: { x: "MQ==" } });
  const times: number[] = [];
  await start(async ({ client, clock, cache }) => {
    times.push(clock.now());
    const key = { namespace: "default", name: "a" };
    await client.patch(Secret, key, { merge: { data: { x: "MQ==" } } });
    await client.delete(Secret, { namespace: "default", name: "none" }).catch(() => undefined);
    await cache.get(Secret, key);
    times.push(clock.now());
  });
  lag = 60_000_000;
  await touchParent(1);
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(times[1]).toBe(times[0]);
});

test("the deletion of an object with a finalizer is waited for as an update", async () => {
  const seen: (string | undefined)[] = [];
  await api.client.create(Secret, {
    metadata: { name: "a", finalizers: ["example.com/wait"] },
  });
  await start(async ({ client, cache }) => {
    if (seen.length > 0) return;
    const key = { namespace: "default", name: "a" };
    await client.delete(Secret, key);
    seen.push((await cache.get(Secret, key))?.metadata.deletionTimestamp);
  });
  lag = 1_000;
  await touchParent(1);
  await api.clock.advance(2_000);
  expect(seen).toEqual([expect.stringMatching(/^2026/)]);
});

test("writes outside of an informer's scope are not waited for: another namespace, other labels", async () => {
  const done: string[] = [];
  await start(
    async ({ client, cache }) => {
      if (done.length > 0) return;
      await client.create(Secret, { metadata: { name: "x", namespace: "kube-system" } });
      await client.create(Secret, { metadata: { name: "y", namespace: "default" } });
      await cache.list(Secret);
      done.push("read");
    },
    { cache: [cached(Secret, { namespace: "default", labelSelector: { watched: "yes" } })] },
  );
  lag = 60_000_000;
  await touchParent(1);
  expect(done).toEqual(["read"]);
});

test("a write that moves an object out of an informer's scope is waited for until it is removed there", async () => {
  const seen: number[] = [];
  const key = { namespace: "default", name: "a" };
  await api.client.create(Secret, { metadata: { name: "a", labels: { watched: "yes" } } });
  await start(
    async ({ client, cache }) => {
      if (seen.length > 0) return;
      seen.push((await cache.list(Secret)).length);
      await client.patch(Secret, key, { merge: { metadata: { labels: { watched: "no" } } } });
      seen.push((await cache.list(Secret)).length);
    },
    { cache: [cached(Secret, { labelSelector: "watched=yes" })] },
  );
  lag = 1_000;
  await touchParent(1);
  await api.clock.advance(2_000);
  expect(seen).toEqual([1, 0]);
});

test("after a lost response, the server is read before the next reconcile", async () => {
  let lost = 0;
  const transport: Transport = async (request) => {
    const response = await lagging(request);
    if (request.method !== "POST" || lost >= 3) return response;
    lost++;
    throw new TransportError("connection reset");
  };
  const { errors } = await start(threeChildren, { transport });
  lag = 1_700;
  await touchParent();
  await api.clock.advance(20_000);
  expect([await secrets(), lost]).toMatchObject([{ length: 3 }, 3]);
  expect(new Set(errors)).toEqual(new Set(["connection reset"]));
});

test("a reconcile fails if its cache lags for too long, and never reads from before its own writes", async () => {
  await start(threeChildren, { ownWritesTimeoutMs: 5_000 });
  lag = 100_000;
  await touchParent();
  await api.clock.advance(50_000);
  expect(await secrets()).toHaveLength(3);
  await api.clock.advance(300_000);
  expect(await secrets()).toHaveLength(3);
});
