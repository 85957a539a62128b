import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { noLog } from "../../../base/log.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { ContainerStats } from "../../../cri/stats-types.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { parseThresholds } from "../../eviction/parse-thresholds.ts";
import { createNodeObserver, type NodeObserverOptions } from "./node-observer.ts";
import { openEviction } from "./open-eviction.ts";

/** A runtime with one container of one pod. */
const runtime = {
  listContainers: async () => [{ sandboxId: "s" }],
  async listContainerStats() {
    const writableLayer = { at: 0, mountpoint: "/", usedBytes: 5000, inodesUsed: 3 };
    const metadata = { name: "c", attempt: 0 };
    return [{ metadata, memoryWorkingSetBytes: 7000, writableLayer } as ContainerStats];
  },
  podSandboxStats: async () => ({ processCount: 4 }),
} as unknown as RuntimeService;

async function optionsWith(more: Partial<NodeObserverOptions> = {}): Promise<NodeObserverOptions> {
  const rootDir = await mkdtemp(join(tmpdir(), "eviction-"));
  onTestFinished(() => rm(rootDir, { recursive: true, force: true }));
  const usage = { at: 0, mountpoint: rootDir, usedBytes: 0, inodesUsed: 0 };
  return {
    runtime,
    images: { imageFsInfo: async () => ({ images: [usage], containers: [usage] }) },
    cgroups: await openCgroups(),
    clock: realClock,
    rootDir,
    podLogsDir: join(rootDir, "logs"),
    ...more,
  };
}

const pod = { metadata: { namespace: "default", name: "p", uid: "u" }, spec: {} } as Pod;

test("a machine is observed: memory, disks, inodes and processes", async () => {
  const observer = createNodeObserver(await optionsWith());
  const thresholds = parseThresholds({
    evictionHard: {
      "memory.available": "1",
      "nodefs.available": "1",
      "nodefs.inodesFree": "1",
      "imagefs.available": "1",
      "containerfs.available": "1",
      "pid.available": "1",
    },
  });
  const observations = await observer.observe(thresholds);
  for (const { signal } of thresholds) {
    const { available = 0, capacity = 0 } = observations.get(signal) ?? {};
    if (signal === "nodefs.inodesFree" && capacity === 0) continue;
    expect(available, signal).toBeGreaterThan(0);
    expect(available, signal).toBeLessThan(capacity);
  }
  expect(await observer.layout()).toBe("single");
});

test("a node that shares a machine has its own memory", async () => {
  const memory = { capacityBytes: 1_000_000, cgroup: "/wherry-no-such-cgroup" };
  const observer = createNodeObserver(await optionsWith({ memory }));
  const [threshold] = parseThresholds({ evictionHard: { "memory.available": "1" } });
  const observations = await observer.observe(threshold ? [threshold] : []);
  expect(observations.get("memory.available")).toMatchObject({
    capacity: 1_000_000,
    available: 1_000_000,
  });
});

testWith(requires("containers"))("images on another file system are found", async () => {
  const options = await optionsWith();
  const mountpoint = join(options.rootDir, "images");
  await mkdir(mountpoint);
  await mustRun("mount", ["-t", "tmpfs", "-o", "size=1m", "none", mountpoint]);
  onTestFinished(async () => void (await mustRun("umount", [mountpoint])));
  const other = { at: 0, mountpoint, usedBytes: 0, inodesUsed: 0 };
  const own = { ...other, mountpoint: options.rootDir };
  const layoutOf = (images: typeof own, containers: typeof own) =>
    createNodeObserver({
      ...options,
      images: { imageFsInfo: async () => ({ images: [images], containers: [containers] }) },
    }).layout();
  expect(await layoutOf(other, other)).toBe("images");
  expect(await layoutOf(other, own)).toBe("split");
});

test("a pod is measured: memory and processes, and files only where that is needed", async () => {
  let asked = 0;
  const options = await optionsWith({
    async volumeUsage() {
      asked++;
      return new Map([["v", { usedBytes: 9000, inodesUsed: 2 }]]);
    },
  });
  await mkdir(join(options.podLogsDir, "default_p_u", "c"), { recursive: true });
  await writeFile(join(options.podLogsDir, "default_p_u", "c", "0.log"), "x".repeat(5000));
  const { measure } = createNodeObserver(options);
  expect(await measure(pod, "pids")).toMatchObject({ memoryBytes: 7000, processes: 4 });
  expect(await measure(pod, "memory")).toMatchObject({ processes: 0, volumes: [] });
  expect(asked).toBe(0);
  expect(await measure(pod, "disk")).toMatchObject({
    containers: [
      {
        name: "c",
        memoryBytes: 7000,
        root: { bytes: 5000, inodes: 3 },
        logs: { bytes: 8192, inodes: 1 },
      },
    ],
    volumes: [{ name: "v", bytes: 9000, inodes: 2 }],
  });
});

test("the hard thresholds of a configuration are reserved, and invalid ones are rejected", async () => {
  const options = {
    ...(await optionsWith()),
    transitionMs: 300_000,
    maxPodGraceSeconds: 0,
    log: noLog,
  };
  const open = (limit: string) =>
    openEviction({ ...options, evictionHard: { "memory.available": limit } });
  expect(open("100Mi").reserve({ memory: "1Gi" })).toEqual({ memory: "100Mi" });
  expect(() => open("-1")).toThrow("eviction threshold memory.available must be positive: -1");
});
