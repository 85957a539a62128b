import { expect, onTestFinished } from "vitest";
import { each } from "../../test/each.ts";
import { Lease } from "../api/coordination/v1/lease.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { noLog } from "../base/log.ts";
import { settableClock } from "../base/settable-clock.test-support.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { createEvictionManager } from "./eviction/eviction-manager.ts";
import { parseThresholds } from "./eviction/parse-thresholds.ts";
import { runNodes } from "./nodes.test-support.ts";
import { BackoffTable } from "./pod/container/backoff-table.ts";

const hour = 3_600_000;
type Jump = [title: string, ms: number];
const jumps: readonly [Jump, Jump] = [
  ["an hour later", hour],
  ["an hour earlier", -hour],
];

/** A cluster whose nodes have a clock that can be set; that of the API server goes on. */
async function start() {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const clock = settableClock(cluster.clock);
  const nodes = await runNodes({ ...cluster, clock });
  onTestFinished(() => nodes.end());
  const container = async (name: string) => (await nodes.pod(name)).status.containerStatuses?.[0];
  return { ...nodes, clock, container };
}

each(jumps)("a node whose clock is set %s renews its lease, with a later time", async (_, ms) => {
  const { client, clock, advance } = await start();
  const renewal = async (): Promise<string> => {
    const lease = await client.get(Lease, { name: "node-1", namespace: "kube-node-lease" });
    return `${lease.spec?.renewTime}`;
  };
  await advance("1m");
  clock.jump(ms);
  for (let before = await renewal(), beats = 0; beats < 3; beats++) {
    await advance("11s");
    const now = await renewal();
    expect(now > before).toBe(true);
    before = now;
  }
});

each(jumps)("a container restarts although the clock is set %s in its backoff", async (_, ms) => {
  const { run, clock, container, advance } = await start();
  await run({ name: "crashes", annotations: { "wherry.dev/exit-after": "1s" } });
  await advance("10s");
  const restarts = async (): Promise<number> => (await container("crashes"))?.restartCount ?? 0;
  const before = await restarts();
  clock.jump(ms);
  await advance("45s");
  const after = await restarts();
  expect(after).toBeGreaterThan(before);
  await advance("2m");
  // Backoffs of 40 and 80 seconds and a restart that the jump may have brought forward.
  expect(await restarts()).toBeLessThanOrEqual(after + 3);
});

each(jumps)("a hook has its grace period although the clock is set %s", async (_, ms) => {
  const { run, client, clock, pod, advance } = await start();
  await run({
    name: "slow",
    annotations: { "wherry.dev/stop-delay": "10m" },
    container: { lifecycle: { preStop: { sleep: { seconds: 10 } } } },
    spec: { terminationGracePeriodSeconds: 30 },
  });
  await advance("5s");
  await client.delete(Pod, { name: "slow" });
  await advance("5s");
  clock.jump(ms);
  await advance("15s");
  expect((await pod("slow")).status.phase).toBe("Running");
  await advance("15s");
  await expect(pod("slow")).rejects.toMatchObject({ reason: "NotFound" });
});

each(jumps)("a pod ends at its deadline by the clock, which is set %s", async (_, ms) => {
  const { run, clock, pod, advance } = await start();
  await run({ name: "limited", spec: { activeDeadlineSeconds: 1800 } });
  await advance("1m");
  clock.jump(ms);
  await advance("11s");
  const { phase, reason } = (await pod("limited")).status;
  expect({ phase, reason }).toEqual(
    ms > 0 ? { phase: "Failed", reason: "DeadlineExceeded" } : { phase: "Running" },
  );
});

each(jumps)("pressure ends in its time although the clock is set %s", async (_, ms) => {
  const nodes = await start();
  const { clock, advance } = nodes;
  const kubelet = nodes.nodes.kubelets.get("node-1");
  if (!kubelet) throw new Error("the node does not run");
  let available = 50;
  const manager = createEvictionManager({
    ...{ thresholds: parseThresholds({ evictionHard: { "memory.available": "100" } }), clock },
    ...{ transitionMs: 60_000, maxPodGraceSeconds: 0, log: noLog },
    observer: {
      layout: async () => "single",
      observe: async () =>
        new Map([["memory.available", { available, capacity: 1000, at: clock.ticks?.() ?? 0 }]]),
      measure: async () => undefined,
    },
  });
  onTestFinished(() => manager.close());
  manager.start(kubelet);
  await advance("15s");
  available = 500;
  clock.jump(ms);
  await advance("30s");
  expect(manager.pressures()).toEqual(["MemoryPressure"]);
  await advance("1m");
  expect(manager.pressures()).toEqual([]);
});

each(jumps)(
  "BackoffTable: a wait neither grows nor begins again when the clock is set %s",
  async (_, ms) => {
    const virtual = new VirtualClock(hour);
    const clock = settableClock(virtual);
    const table = new BackoffTable(clock);
    const ended = clock.now();
    table.next("key", ended);
    expect(table.waitSince("key", ended)).toBe(10_000);
    await virtual.advance(4000);
    clock.jump(ms);
    expect([table.waitSince("key", ended), table.waitSinceUpdate("key")]).toEqual([6000, 6000]);
    await virtual.advance(6000);
    expect([table.waitSince("key", ended), table.waitSinceUpdate("key")]).toEqual([0, 0]);
  },
);
