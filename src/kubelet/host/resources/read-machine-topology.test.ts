import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { numaNodesOf } from "../../topology/machine-topology.ts";
import { testFolder } from "../plugins/plugin.test-support.ts";
import { readMachineTopology } from "./read-machine-topology.ts";

function machineWith(files: Readonly<Record<string, string>>): string {
  const root = testFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return root;
}

/** A CPU of a node, with the CPUs that share its cache of level 3. */
const cpu = (node: string, id: number, place: { core: number; socket: number; cache: string }) => ({
  [`${node}/cpu${id}/topology/core_id`]: String(place.core),
  [`${node}/cpu${id}/topology/physical_package_id`]: String(place.socket),
  [`${node}/cpu${id}/cache/index2/level`]: "2",
  [`${node}/cpu${id}/cache/index3/level`]: "3",
  [`${node}/cpu${id}/cache/index3/id`]: String(place.core >> 1),
  [`${node}/cpu${id}/cache/index3/shared_cpu_map`]: place.cache,
});

test("readMachineTopology: nodes, sockets, cores, threads and caches", async () => {
  const [n0, n1] = ["sys/devices/system/node/node0", "sys/devices/system/node/node1"];
  const root = machineWith({
    [`${n0}/distance`]: "10 21",
    [`${n1}/distance`]: "21 10",
    [`${n0}/meminfo`]: "Node 0 MemTotal:       1000 kB\nNode 0 MemFree: 5 kB",
    [`${n0}/hugepages/hugepages-2048kB/nr_hugepages`]: "3",
    ...cpu(n0, 0, { core: 0, socket: 0, cache: "00000000,0000000f" }),
    ...cpu(n0, 1, { core: 0, socket: 0, cache: "f" }),
    ...cpu(n0, 2, { core: 1, socket: 0, cache: "f" }),
    ...cpu(n0, 3, { core: 1, socket: 0, cache: "f" }),
    ...cpu(n1, 4, { core: 0, socket: 1, cache: "30" }),
    ...cpu(n1, 5, { core: 1, socket: 1, cache: "30" }),
    ...cpu(n1, 6, { core: 2, socket: 1, cache: "c0" }),
    ...cpu(n1, 7, { core: 3, socket: 1, cache: "c0" }),
    ...cpu(n1, 8, { core: 4, socket: 1, cache: "c0" }),
    [`${n1}/cpu8/online`]: "0",
  });
  const topology = await readMachineTopology(root);
  expect(topology.nodes).toEqual([
    {
      ...{ id: 0, distances: [10, 21], memoryBytes: 1_024_000 },
      hugePages: [{ pageBytes: 2 ** 21, count: 3 }],
      cores: [
        { socket: 0, threads: [0, 1], uncoreCache: undefined },
        { socket: 0, threads: [2, 3], uncoreCache: undefined },
      ],
    },
    {
      ...{ id: 1, distances: [21, 10], memoryBytes: 0, hugePages: [] },
      cores: [
        { socket: 1, threads: [4], uncoreCache: 0 },
        { socket: 1, threads: [5], uncoreCache: 0 },
        { socket: 1, threads: [6], uncoreCache: 1 },
        { socket: 1, threads: [7], uncoreCache: 1 },
      ],
    },
  ]);
  expect(numaNodesOf(topology).distance(1, 0)).toBe(21);
});

test("readMachineTopology: a kernel without NUMA is one node", async () => {
  const root = machineWith({
    "proc/meminfo": "MemTotal: 10 kB",
    "sys/devices/system/cpu/cpu0/topology/core_id": "0",
    "sys/devices/system/cpu/cpu1/topology/core_id": "1",
    "sys/devices/system/cpu/cpufreq/x": "",
  });
  const { nodes } = await readMachineTopology(root);
  expect(nodes).toMatchObject([{ id: 0, memoryBytes: 10_240 }]);
  expect(nodes[0]?.cores.map(({ threads }) => threads)).toEqual([[0], [1]]);
});

test("readMachineTopology: this machine has a processor", async () => {
  const { nodes } = await readMachineTopology();
  expect(nodes.flatMap(({ cores }) => cores).length).toBeGreaterThan(0);
});
