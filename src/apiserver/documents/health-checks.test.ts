import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { healthChecks, StartUp } from "./health-checks.ts";
import { checksOf } from "./health-endpoints.ts";

function sources() {
  const clock = new VirtualClock();
  const state = { isFollowing: true, isShuttingDown: false };
  const startUp = new StartUp();
  const store = new MemoryStore(clock);
  const checks = healthChecks({
    store,
    clock,
    startUp,
    isFollowing: () => state.isFollowing,
    isShuttingDown: () => state.isShuttingDown,
    unregistered: () => undefined,
    isExtension: false,
    hasProxyClient: true,
    hasPriorities: true,
  });
  const failing = async (): Promise<string[]> => {
    const faults = await Promise.all(
      checks.map(async ({ name, check }) => ((await check()) === undefined ? [] : [name])),
    );
    return faults.flat();
  };
  return { clock, state, startUp, store, checks, failing };
}

test("healthChecks: the check of a start-up step fails until the step is done", async () => {
  const { startUp, failing } = sources();
  for (const step of ["admission", "cache", "allocation", "custom", "upkeep"] as const)
    startUp.done(step);
  expect(await failing()).toEqual([
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
  ]);
  startUp.done("bootstrap");
  expect(await failing()).toEqual([]);
});

test("healthChecks: a failed check is reported by its name", async () => {
  const { startUp, state, store, failing } = sources();
  const steps = ["admission", "cache", "bootstrap", "allocation", "custom", "upkeep"] as const;
  for (const step of steps) startUp.done(step);
  state.isShuttingDown = true;
  expect(await failing()).toEqual(["shutdown"]);
  state.isFollowing = false;
  await store.close();
  expect(await failing()).toEqual(["etcd", "etcd-readiness", "informer-sync", "shutdown"]);
});

test("healthChecks: the check of a store that does not respond times out", async () => {
  const { clock, store, checks } = sources();
  store.currentRevision = () => new Promise(() => {});
  const fault = checks.find(({ name }) => name === "etcd")?.check();
  await clock.advance(2000);
  expect(await fault).toMatch(/^error getting data from etcd: deadline/);
});

test("healthChecks: checks that a restart would not fix are part of readiness only", () => {
  const { checks } = sources();
  const names = (endpoint: string) => checksOf(checks, endpoint).map(({ name }) => name);
  const ofLife = new Set(names("livez"));
  expect(names("readyz").filter((name) => !ofLife.has(name))).toEqual([
    "etcd-readiness",
    "informer-sync",
    "shutdown",
  ]);
});
