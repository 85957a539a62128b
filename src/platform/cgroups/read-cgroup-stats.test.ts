import { expect, test } from "vitest";
import { readStatsV1, readStatsV2 } from "./read-cgroup-stats.ts";

const reader = (files: Readonly<Record<string, string>>) => (name: string) =>
  Promise.resolve(files[name] ?? "");

test("readStatsV1: all files", async () => {
  const stats = await readStatsV1(
    reader({
      "cpuacct.usage": "5000000001\n",
      "cpuacct.usage_user": "4000000000\n",
      "cpuacct.usage_sys": "1000000001\n",
      "cpuacct.usage_percpu": "3000000000 2000000001 \n",
      "cpu.stat": "nr_periods 10\nnr_throttled 4\nthrottled_time 77\n",
      "memory.usage_in_bytes": "1000000\n",
      "memory.limit_in_bytes": "9223372036854771712\n",
      "memory.max_usage_in_bytes": "2000000\n",
      "memory.failcnt": "3\n",
      "memory.memsw.usage_in_bytes": "1500000\n",
      "memory.stat":
        "cache 1\nrss 2\ntotal_rss 300000\ntotal_inactive_file 400000\ntotal_pgfault 12\ntotal_pgmajfault 5\n",
      "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
      "pids.current": "7\n",
      "pids.max": "100\n",
      "blkio.throttle.io_service_bytes_recursive":
        "254:0 Read 4096\n254:0 Write 8192\n254:0 Sync 1\n254:0 Total 12289\nTotal 12289\n",
      "blkio.throttle.io_serviced_recursive": "254:0 Read 1\n254:0 Write 2\n8:16 Read 3\nTotal 6\n",
    }),
  );
  expect(stats).toMatchObject({
    cpu: {
      usageNs: 5_000_000_001n,
      userNs: 4_000_000_000n,
      systemNs: 1_000_000_001n,
      periods: 10,
      throttledPeriods: 4,
      throttledNs: 77n,
      perCpuNs: [3_000_000_000n, 2_000_000_001n],
    },
    memory: {
      usageBytes: 1_000_000,
      workingSetBytes: 600_000,
      rssBytes: 300_000,
      swapBytes: 500_000,
      limitBytes: undefined,
      maxUsageBytes: 2_000_000,
      limitHits: 3,
      pageFaults: 12,
      majorPageFaults: 5,
      oomKills: 2,
      details: { cache: 1, rss: 2 },
    },
    pids: { current: 7, limit: 100 },
    io: [
      { major: 254, minor: 0, readBytes: 4096, writeBytes: 8192, reads: 1, writes: 2 },
      { major: 8, minor: 16, readBytes: 0, writeBytes: 0, reads: 3, writes: 0 },
    ],
  });
});

test("readStatsV1: older kernels count user and system time in ticks", async () => {
  const { cpu } = await readStatsV1(reader({ "cpuacct.stat": "user 150\nsystem 20\n" }));
  expect(cpu).toMatchObject({ userNs: 1_500_000_000n, systemNs: 200_000_000n });
});

test("readStatsV2: all files", async () => {
  const stats = await readStatsV2(
    reader({
      "cpu.stat":
        "usage_usec 5000\nuser_usec 4000\nsystem_usec 1000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 7\n",
      "cpu.pressure":
        "some avg10=1.50 avg60=0.25 avg300=0.00 total=123\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
      "memory.current": "1000000\n",
      "memory.max": "max\n",
      "memory.peak": "2000000\n",
      "memory.swap.current": "5\n",
      "memory.stat": "anon 300000\nfile 1\ninactive_file 1400000\npgfault 12\npgmajfault 5\n",
      "memory.events": "low 0\nhigh 0\nmax 3\noom 2\noom_kill 1\n",
      "pids.current": "7\n",
      "pids.max": "max\n",
      "io.stat": "254:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=0 dios=0\n",
      "io.pressure": "some avg10=2.00 avg60=0.00 avg300=0.00 total=5\n",
    }),
  );
  expect(stats).toEqual({
    cpu: {
      usageNs: 5_000_000n,
      userNs: 4_000_000n,
      systemNs: 1_000_000n,
      periods: 10,
      throttledPeriods: 4,
      throttledNs: 7000n,
      perCpuNs: [],
      pressure: {
        some: { avg10: 1.5, avg60: 0.25, avg300: 0, totalNs: 123_000n },
        full: { avg10: 0, avg60: 0, avg300: 0, totalNs: 0n },
      },
    },
    memory: {
      usageBytes: 1_000_000,
      workingSetBytes: 0,
      rssBytes: 300_000,
      swapBytes: 5,
      limitBytes: undefined,
      maxUsageBytes: 2_000_000,
      limitHits: 3,
      pageFaults: 12,
      majorPageFaults: 5,
      oomKills: 1,
      details: { anon: 300_000, file: 1, inactive_file: 1_400_000, pgfault: 12, pgmajfault: 5 },
      pressure: undefined,
    },
    pids: { current: 7, limit: undefined },
    io: [{ major: 254, minor: 0, readBytes: 4096, writeBytes: 8192, reads: 1, writes: 2 }],
    ioPressure: { some: { avg10: 2, avg60: 0, avg300: 0, totalNs: 5000n }, full: undefined },
  });
});

test("readStats: files that are missing count as nothing", async () => {
  const { cpu, memory, io } = await readStatsV2(reader({}));
  expect([cpu.usageNs, cpu.pressure, memory.usageBytes, io]).toEqual([0n, undefined, 0, []]);
  expect((await readStatsV1(reader({}))).memory.workingSetBytes).toBe(0);
});
