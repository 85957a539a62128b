import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { type Log, noLog } from "../../base/log.ts";
import type { Transport } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { withController } from "../objects/owner-references.ts";
import { controller } from "../reconcile/controller.ts";
import type { Controller } from "../reconcile/controller-definition.ts";
import { TerminalError } from "../reconcile/controller-definition.ts";
import { generationChanged, labelsChanged } from "../reconcile/predicates.ts";
import { createManager } from "./manager.ts";
import type { Manager, ManagerOptions } from "./manager-options.ts";

let api: TestApi;
let stops: (() => Promise<unknown>)[];
beforeEach(async () => {
  api = await openTestApi();
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await api.finished(stop());
  await api.close();
});

interface Started {
  readonly manager: Manager;
  readonly ended: Promise<unknown>;
  readonly stop: AbortController;
}

/** Starts a manager and lets it come to rest. */
async function start(options: Partial<ManagerOptions>): Promise<Started> {
  const { transport, clock, random } = api;
  const manager = createManager({ transport, clock, random, ...options });
  const stop = new AbortController();
  const ended = manager.run({ signal: stop.signal }).catch((error: Error) => error);
  stops.push(() => {
    stop.abort();
    return ended;
  });
  await api.clock.advance(10);
  return { manager, ended, stop };
}

const noting = (seen: string[], rest: Partial<Controller> = {}) => ({
  ...controller({
    name: "noting",
    for: ConfigMap,
    async reconcile({ name }) {
      seen.push(name);
    },
  }),
  ...rest,
});

const create = (name: string, labels: Record<string, string> = {}) =>
  api.client.create(ConfigMap, { metadata: { name, labels } });

test("a controller reconciles existing objects, and objects that change", async () => {
  await create("a");
  const seen: string[] = [];
  const { manager } = await start({ controllers: [noting(seen)] });
  expect(seen.filter((name) => name !== "kube-root-ca.crt")).toContain("a");
  seen.length = 0;
  await create("b");
  await api.client.patch(ConfigMap, { name: "a" }, { merge: { data: { x: "1" } } });
  await api.client.delete(ConfigMap, { name: "a" });
  await api.clock.advance(10);
  expect(new Set(seen)).toEqual(new Set(["b", "a"]));
  expect(manager.isIdle).toBe(true);
});

test("predicates, owners and maps decide which keys are enqueued", async () => {
  const seen: string[] = [];
  const parent = await create("parent");
  await start({
    controllers: [
      controller({
        name: "owning",
        for: ConfigMap,
        predicates: [labelsChanged],
        owns: [Secret],
        watches: [
          {
            kind: Secret,
            predicates: [generationChanged],
            map: (secret) =>
              secret.type === "example.com/watched"
                ? [{ namespace: "default", name: "mapped" }]
                : [],
          },
        ],
        async reconcile({ name }) {
          seen.push(name);
        },
      }),
    ],
  });
  seen.length = 0;
  await api.client.patch(ConfigMap, { name: "parent" }, { merge: { data: { x: "1" } } });
  await api.clock.advance(10);
  expect(seen).toEqual([]);
  await api.client.patch(
    ConfigMap,
    { name: "parent" },
    { merge: { metadata: { labels: { a: "b" } } } },
  );
  await api.clock.advance(10);
  expect(seen).toEqual(["parent"]);
  const owned = withController({ metadata: { name: "child", namespace: "default" } }, parent);
  await api.client.create(Secret, owned);
  await api.client.create(Secret, { metadata: { name: "other" }, type: "example.com/watched" });
  await api.clock.advance(10);
  expect(seen).toEqual(["parent", "parent", "mapped"]);
});

test("map is called for the old object if mapKey has changed", async () => {
  const asked: string[] = [];
  await create("watched");
  const label = (value: string, data: string) =>
    api.client.patch(
      ConfigMap,
      { name: "watched" },
      { merge: { metadata: { labels: { value } }, data: { data } } },
    );
  await label("a", "1");
  const seen: string[] = [];
  await start({
    controllers: [
      controller({
        name: "mapping",
        for: Secret,
        predicates: [() => false],
        watches: [
          {
            kind: ConfigMap,
            mapKey: ({ metadata }) => metadata.labels,
            map({ metadata, data }) {
              const name = metadata.labels?.value;
              if (name === undefined) return [];
              asked.push(`${name}${data?.data}`);
              return [{ namespace: "default", name }];
            },
          },
        ],
        async reconcile({ name }) {
          seen.push(name);
        },
      }),
    ],
  });
  asked.length = seen.length = 0;
  await label("a", "2");
  await api.clock.advance(10);
  expect([asked, seen]).toEqual([["a2"], ["a"]]);
  await label("b", "2");
  await api.clock.advance(10);
  expect([asked, seen]).toEqual([
    ["a2", "b2", "a2"],
    ["a", "b", "a"],
  ]);
});

test("a failed reconcile is retried with backoff and counted; a terminal one is not retried", async () => {
  const times: number[] = [];
  const attempts: number[] = [];
  const { manager } = await start({
    controllers: [
      controller({
        name: "failing",
        for: ConfigMap,
        async reconcile({ name }, { clock, attempt }) {
          if (name === "terminal") throw new TerminalError("never");
          if (name !== "failing") return;
          times.push(clock.now());
          attempts.push(attempt);
          if (attempt < 5) throw new Error("not yet");
        },
      }),
    ],
  });
  await create("failing");
  await create("terminal");
  await api.clock.advance(1_000);
  expect(attempts).toEqual([1, 2, 3, 4, 5]);
  expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual([5, 10, 20, 40]);
  const text = manager.metricsText();
  for (const line of [
    'controller_runtime_reconcile_errors_total{controller="failing"} 5',
    'controller_runtime_terminal_reconcile_errors_total{controller="failing"} 1',
    'controller_runtime_reconcile_total{controller="failing",result="error"} 5',
    'controller_runtime_max_concurrent_reconciles{controller="failing"} 1',
    'controller_runtime_active_workers{controller="failing"} 0',
    'controller_runtime_reconcile_panics_total{controller="failing"} 0',
    'workqueue_retries_total{name="failing"} 4',
  ])
    expect(text).toContain(`${line}\n`);
});

test("a reconcile can be requeued after a delay", async () => {
  let calls = 0;
  await create("a");
  await start({
    controllers: [
      controller({
        name: "again",
        for: ConfigMap,
        async reconcile({ name }) {
          if (name === "a") calls++;
          return name === "a" ? { requeueAfterMs: 60_000 } : undefined;
        },
      }),
    ],
  });
  expect(calls).toBe(1);
  await api.clock.advance(59_000);
  expect(calls).toBe(1);
  await api.clock.advance(61_000);
  expect(calls).toBe(3);
});

test("keys are reconciled concurrently, and a key never twice at once", async () => {
  const running = new Set<string>();
  let most = 0;
  await start({
    controllers: [
      controller({
        name: "busy",
        for: ConfigMap,
        concurrency: 3,
        async reconcile({ name, namespace }, { clock }) {
          const key = `${namespace}/${name}`;
          expect(running.has(key)).toBe(false);
          running.add(key);
          most = Math.max(most, running.size);
          await new Promise<void>((resolve) => void clock.setTimer(100, resolve));
          running.delete(key);
        },
      }),
    ],
  });
  for (let i = 0; i < 6; i++) await create(`c${i}`);
  for (let i = 0; i < 20; i++) {
    await api.client.patch(ConfigMap, { name: `c${i % 6}` }, { merge: { data: { i: `${i}` } } });
    await api.clock.advance(30);
  }
  expect(most).toBe(3);
});

test("at its timeout the signal and calls of a reconcile abort, and it is still waited for", async () => {
  const outcome: unknown[] = [];
  const { manager } = await start({
    controllers: [
      controller({
        name: "slow",
        for: ConfigMap,
        timeoutMs: 1_000,
        async reconcile({ name }, { signal, client, attempt }) {
          if (name !== "slow" || attempt > 1) return;
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          outcome.push(signal.reason);
          await client.create(ConfigMap, { metadata: { name: "late" } });
        },
      }),
    ],
  });
  await create("slow");
  await api.clock.advance(1_100);
  expect(outcome).toMatchObject([{ name: "DeadlineExceeded" }]);
  await expect(api.client.get(ConfigMap, { name: "late" })).rejects.toMatchObject({
    reason: "NotFound",
  });
  expect(manager.metricsText()).toContain(
    'controller_runtime_reconcile_timeouts_total{controller="slow"} 1\n',
  );
});

test("a manager runs once, and the names of its controllers are unique", async () => {
  const { manager } = await start({ controllers: [noting([])] });
  await expect(manager.run({ signal: new AbortController().signal })).rejects.toThrow(
    "manager already started",
  );
  expect(() => manager.add(noting([]))).toThrow("controller with name noting already exists");
});

test("a controller can be added later", async () => {
  const { manager } = await start({});
  await create("a");
  const seen: string[] = [];
  manager.add(noting(seen));
  await api.clock.advance(10);
  expect(seen).toContain("a");
});

test("maps and reconciles can use the indexes of a controller, even if it is added later", async () => {
  const seen: string[] = [];
  const byColour = {
    kind: ConfigMap,
    name: "colour",
    valuesOf: (object: unknown) => {
      const { colour } = (object as ConfigMap).metadata.labels ?? {};
      return colour === undefined ? [] : [colour];
    },
  };
  const colours = controller({
    name: "colours",
    for: ConfigMap,
    indexes: [byColour],
    async reconcile({ name }, { cache }) {
      const same = await cache.byIndex(ConfigMap, "colour", name);
      seen.push(...same.map(({ metadata }) => `${name} ${metadata.name}`));
    },
  });
  await create("red");
  await create("rose", { colour: "red" });
  const { manager } = await start({ controllers: [colours] });
  expect(seen).toEqual(["red rose"]);
  manager.add({ ...colours, name: "more colours" });
  await api.clock.advance(10);
  expect(seen).toEqual(["red rose", "red rose"]);
});

test("the run ends with an error if caches do not sync within two minutes", async () => {
  const transport: Transport = (request) =>
    request.path.endsWith("/configmaps") ? new Promise(() => {}) : api.transport(request);
  const { ended, manager } = await start({ transport, controllers: [noting([])] });
  expect(manager.ready()).toEqual({
    healthy: false,
    checks: { started: "not started", caches: "caches are not synced" },
  });
  await api.clock.advance(120_000);
  expect(await ended).toMatchObject({
    message:
      "failed to wait for noting caches to sync kind source: *v1.ConfigMap: timed out waiting for cache to be synced for kind source: *v1.ConfigMap",
  });
});

test("a controller whose kind is not served starts once it is, if that is tolerated", async () => {
  let isServed = false;
  const transport: Transport = (request) =>
    api.transport(
      isServed || !request.path.endsWith("/secrets") ? request : { ...request, path: "/api/v1/no" },
    );
  const [early, late]: [string[], string[]] = [[], []];
  const secrets = controller({
    name: "secrets",
    for: Secret,
    async reconcile({ name }) {
      late.push(name);
    },
  });
  const { manager } = await start({
    transport,
    controllers: [noting(early), secrets],
    toleratesUnservedKinds: true,
  });
  await create("a");
  await api.client.create(Secret, { metadata: { name: "b" } });
  await api.clock.advance(300_000);
  expect([manager.ready().healthy, early.at(-1), late]).toEqual([true, "a", []]);
  isServed = true;
  await api.clock.advance(60_000);
  expect(late).toEqual(["b"]);
});

test("stages start in order (servers, caches, always, leader) and stop in reverse", async () => {
  const order: string[] = [];
  const runnable = (name: string, stage: "server" | "always" | "leader") => ({
    name,
    stage,
    async run(signal: AbortSignal) {
      order.push(`${name} ${manager?.ready().checks.caches ?? "synced"}`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      order.push(`${name} ends`);
    },
  });
  let manager: Manager | undefined;
  const { transport, clock, random } = api;
  manager = createManager({
    transport,
    clock,
    random,
    controllers: [noting([])],
    leaderElection: { lease: { namespace: "default", name: "l" }, identity: "me" },
    runnables: [
      runnable("leading", "leader"),
      runnable("always", "always"),
      runnable("server", "server"),
    ],
  });
  const stop = new AbortController();
  const ended = manager.run({ signal: stop.signal });
  await clock.advance(100);
  expect(order).toEqual(["server caches are not synced", "always synced", "leading synced"]);
  expect([manager.isLeader, manager.ready().healthy, manager.health().healthy]).toEqual([
    true,
    true,
    true,
  ]);
  stop.abort();
  await api.finished(ended);
  expect(order.slice(3)).toEqual(["always ends", "leading ends", "server ends"]);
});

test("a shutdown waits for running reconciles, starts no more, and leaves no timers", async () => {
  const log: string[] = [];
  const clock = countingClock();
  const { stop, ended } = await start({
    clock,
    controllers: [
      controller({
        name: "slow",
        for: ConfigMap,
        async reconcile({ name }, { clock, client }) {
          if (!name.startsWith("slow")) return;
          log.push(`${name} begins`);
          await new Promise<void>((resolve) => void clock.setTimer(5_000, resolve));
          await client.patch(ConfigMap, { name }, { merge: { data: { done: "yes" } } });
          log.push(`${name} ends`);
        },
      }),
    ],
  });
  await create("slow-1");
  await create("slow-2");
  await api.clock.advance(10);
  stop.abort();
  await api.clock.advance(6_000);
  expect([await ended, log]).toEqual([undefined, ["slow-1 begins", "slow-1 ends"]]);
  expect((await api.client.get(ConfigMap, { name: "slow-1" })).data).toEqual({ done: "yes" });
  expect(clock.open()).toEqual([]);
});

test("a shutdown that exceeds the grace period fails", async () => {
  const { stop, ended } = await start({
    controllers: [
      controller({
        name: "stuck",
        for: ConfigMap,
        reconcile: ({ name }) =>
          name === "stuck" ? new Promise<undefined>(() => {}) : Promise.resolve(undefined),
      }),
    ],
  });
  await create("stuck");
  await api.clock.advance(10);
  stop.abort();
  await api.clock.advance(30_000);
  expect(await ended).toMatchObject({
    message:
      "failed waiting for all runnables to end within grace period of 30s: context deadline exceeded",
  });
});

test("a runnable that fails stops the manager", async () => {
  const { ended } = await start({
    runnables: [{ name: "broken", run: async () => Promise.reject(new Error("broken")) }],
  });
  expect(await ended).toMatchObject({ message: "broken" });
});

test("one of two managers leads, and the other takes over when the first stops", async () => {
  const lease = { namespace: "default", name: "leader" };
  const first: string[] = [];
  const second: string[] = [];
  const leaderElection = { lease, releaseOnStop: true };
  const a = await start({ controllers: [noting(first)], leaderElection });
  const b = await start({ controllers: [noting(second)], leaderElection });
  await create("one");
  await api.clock.advance(100);
  expect([first.includes("one"), second]).toEqual([true, []]);
  await expect(
    b.manager.client.create(ConfigMap, { metadata: { name: "no" } }),
  ).rejects.toMatchObject({ name: "NotLeaderError" });
  a.stop.abort();
  expect(await api.finished(a.ended)).toBeUndefined();
  await api.clock.advance(5_000);
  expect([b.manager.isLeader, second.includes("one")]).toEqual([true, true]);
});

test("a lost lease ends the run with an error, at once", async () => {
  let isDown = false;
  const transport: Transport = (request) =>
    isDown ? Promise.reject(new Error("down")) : api.transport(request);
  const leaderElection = { lease: { namespace: "default", name: "leader" } };
  const { ended, manager } = await start({ transport, controllers: [noting([])], leaderElection });
  expect(manager.isLeader).toBe(true);
  isDown = true;
  await api.clock.advance(10_000);
  expect(await ended).toMatchObject({ message: "leader election lost" });
  expect(manager.isLeader).toBe(false);
});

test.each([
  ["a conflict", new StatusError("Conflict", "no"), "info"],
  ["an object that is not found", new StatusError("NotFound", "no"), "info"],
  ["a fault", new Error("no"), "error"],
  [
    "a terminal error",
    new TerminalError("no", { cause: new StatusError("Conflict", "") }),
    "error",
  ],
])("a reconcile that fails with %s is logged at the right level", async (_, error, level) => {
  const lines: string[] = [];
  const log: Log = {
    ...noLog,
    info: (message, fields) => fields?.error && lines.push(`info ${message}`),
    error: (message) => lines.push(`error ${message}`),
    with: () => log,
  };
  await create("a");
  let isFirst = true;
  const reconcile = async (): Promise<void> => {
    if (!isFirst) return;
    isFirst = false;
    throw error;
  };
  await start({ log, controllers: [noting([], { reconcile })] });
  expect(lines).toEqual([`${level} reconcile failed`]);
});

/** The clock, for one who is to leave no timers. */
function countingClock() {
  const open = new Map<object, string>();
  return {
    open: () => [...open.values()],
    now: () => api.clock.now(),
    setTimer(ms: number, fire: () => void) {
      const timer = api.clock.setTimer(ms, () => {
        open.delete(own);
        fire();
      });
      const own = {
        cancel() {
          open.delete(own);
          timer.cancel();
        },
      };
      open.set(own, `${ms} ms`);
      return own;
    },
  };
}
