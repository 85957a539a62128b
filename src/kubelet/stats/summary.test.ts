import { expect, test } from "vitest";
import { at, disk, machine, podStats, testHost } from "./stats.test-support.ts";
import { summaryOf } from "./summary.ts";

const time = "2030-01-01T00:00:00Z";
const space = { availableBytes: 6000, capacityBytes: 10_000, inodesFree: 60, inodes: 100 };
const psi = {
  full: { total: 5, avg10: 1, avg60: 2, avg300: 3 },
  some: { total: 5, avg10: 1, avg60: 2, avg300: 3 },
};
const usage = (n: number) => ({
  cpu: { time, usageNanoCores: n, usageCoreNanoSeconds: BigInt(n) * 1_000_000_000n },
  memory: {
    ...{ time, availableBytes: 1000, usageBytes: n * 20, workingSetBytes: n * 10 },
    ...{ rssBytes: n * 5, pageFaults: n, majorPageFaults: 0 },
  },
  swap: { time, swapAvailableBytes: 100, swapUsageBytes: n },
});
const nodeUsage = {
  cpu: { time, usageNanoCores: 500_000_000, usageCoreNanoSeconds: 9_007_199_254_740_993n },
  memory: { time, availableBytes: 6000, usageBytes: 5000, workingSetBytes: 4000, rssBytes: 3000 },
  swap: { time, swapAvailableBytes: 90, swapUsageBytes: 10 },
};
const systemContainers = [{ name: "pods", startTime: "2029-12-31T00:00:00Z", ...nodeUsage }];

test("summaryOf: all that is known of a node and its pods", async () => {
  const details = {
    network: await testHost.network(),
    disks: await testHost.disks(),
    tasks: await testHost.tasks(),
  };
  const groups = await testHost.systemContainers();
  const pods = [podStats()];
  const input = { nodeName: "n", now: at, pods, machine, systemContainers: groups, details };
  expect(summaryOf(input)).toEqual({
    node: {
      nodeName: "n",
      systemContainers,
      startTime: "2029-12-31T00:00:00Z",
      ...nodeUsage,
      network: {
        ...{ time, name: "" },
        interfaces: [{ name: "ens3", rxBytes: 1, rxErrors: 0, txBytes: 2, txErrors: 0 }],
      },
      fs: { time, ...space, usedBytes: 3000, inodesUsed: 40 },
      runtime: { imageFs: { time, ...space, usedBytes: 500, inodesUsed: 5 } },
      rlimit: { time, maxpid: 32_768, curproc: 300 },
    },
    pods: [
      {
        podRef: { name: "p", namespace: "ns", uid: "u" },
        startTime: "2029-12-31T00:00:01Z",
        containers: [
          {
            ...{ name: "a", startTime: "2029-12-31T00:00:02Z", ...usage(1) },
            rootfs: { time, ...space, usedBytes: 100, inodesUsed: 1 },
            logs: { time, ...space, usedBytes: 11, inodesUsed: 1 },
          },
          {
            ...{ name: "b", startTime: "2029-12-31T00:00:02Z", ...usage(2) },
            rootfs: { time, ...space, usedBytes: 200, inodesUsed: 2 },
            logs: { time, ...space },
          },
        ],
        ...usage(4),
        cpu: { ...usage(4).cpu, psi },
        io: { time, psi },
        // The sum of the containers'.
        swap: { time, swapAvailableBytes: 200, swapUsageBytes: 3 },
        network: {
          ...{ time, name: "eth0", rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 },
          interfaces: [
            { name: "eth0", rxBytes: 1, rxErrors: 2, txBytes: 3, txErrors: 4 },
            { name: "net1", rxBytes: 5, rxErrors: 6, txBytes: 7, txErrors: 8 },
          ],
        },
        volume: [
          {
            ...{ time, name: "cache", usedBytes: 7, inodesUsed: 2, capacityBytes: 1000 },
            ...{ availableBytes: 900, inodes: 50, inodesFree: 40 },
          },
          {
            ...{ time, name: "data", usedBytes: 100, inodesUsed: 10, capacityBytes: 1000 },
            ...{ availableBytes: 900, inodes: 50, inodesFree: 40 },
            pvcRef: { namespace: "ns", name: "c" },
          },
        ],
        // The root file systems, the log, the hosts file and the emptyDir.
        "ephemeral-storage": { time, ...space, usedBytes: 830, inodesUsed: 7 },
        process_stats: { process_count: 3 },
      },
    ],
  });
  expect(disk.device).toBe("/dev/vda1");
});

test("summaryOf: only CPU and memory", async () => {
  const { files: _, ...pod } = podStats();
  const groups = await testHost.systemContainers();
  const input = { nodeName: "n", now: at, pods: [pod], machine, systemContainers: groups };
  expect(summaryOf(input)).toEqual({
    node: { nodeName: "n", systemContainers, startTime: "2029-12-31T00:00:00Z", ...nodeUsage },
    pods: [
      {
        podRef: { name: "p", namespace: "ns", uid: "u" },
        startTime: "2029-12-31T00:00:01Z",
        containers: [
          { name: "a", startTime: "2029-12-31T00:00:02Z", ...usage(1) },
          { name: "b", startTime: "2029-12-31T00:00:02Z", ...usage(2) },
        ],
        ...usage(4),
        cpu: { ...usage(4).cpu, psi },
        swap: { time, swapAvailableBytes: 200, swapUsageBytes: 3 },
      },
    ],
  });
});

test("summaryOf: a node without a machine uses what its containers use", () => {
  const { files: _, ...pod } = podStats();
  expect(summaryOf({ nodeName: "n", now: at, pods: [pod] })).toMatchObject({
    node: {
      cpu: { usageNanoCores: 3, usageCoreNanoSeconds: 3_000_000_000n },
      memory: { workingSetBytes: 30 },
    },
  });
});
