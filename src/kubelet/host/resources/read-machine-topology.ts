import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { CpuCore, MachineTopology, NumaNode } from "../../topology/machine-topology.ts";
import { hugePageBytes, memoryBytes } from "../machine/machine-files.ts";

/** Reads the topology of the machine whose `/sys` and `/proc` are below a folder, by default that of this process. */
export async function readMachineTopology(root = "/"): Promise<MachineTopology> {
  const system = join(root, "sys/devices/system");
  const ids = (await namesIn(join(system, "node"))).flatMap((name) => numberOf(name, "node"));
  if (ids.length === 0) return { nodes: [await wholeMachine(root, system)] };
  const nodes = await Promise.all(
    ids.sort((a, b) => a - b).map((id) => readNode(id, join(system, "node", `node${id}`))),
  );
  return { nodes };
}

async function readNode(id: number, folder: string): Promise<NumaNode> {
  const distances = (await textOf(join(folder, "distance"))).split(/\s+/).filter(Boolean);
  // "Node 0 MemTotal:       16314 kB"
  const meminfo = (await textOf(join(folder, "meminfo"))).replaceAll(/^Node \d+ /gm, "");
  return {
    id,
    distances: distances.map(Number),
    memoryBytes: memoryBytes(meminfo, "MemTotal"),
    hugePages: await readHugePages(join(folder, "hugepages")),
    cores: await readCores(folder),
  };
}

/** A machine whose kernel knows no NUMA nodes is one. */
async function wholeMachine(root: string, system: string): Promise<NumaNode> {
  return {
    id: 0,
    distances: [10],
    memoryBytes: memoryBytes(await textOf(join(root, "proc/meminfo")), "MemTotal"),
    hugePages: await readHugePages(join(root, "sys/kernel/mm/hugepages")),
    cores: await readCores(join(system, "cpu")),
  };
}

async function readCores(folder: string): Promise<readonly CpuCore[]> {
  const cpus = (await namesIn(folder)).flatMap((name) => numberOf(name, "cpu"));
  const cores = new Map<string, { socket: number; threads: number[] }>();
  for (const cpu of cpus.sort((a, b) => a - b)) {
    const of = (file: string): Promise<string> => textOf(join(folder, `cpu${cpu}`, file));
    // The first CPU of many machines cannot be taken offline, and has no such file.
    if ((await of("online")) === "0") continue;
    const socket = Number(await of("topology/physical_package_id")) || 0;
    const key = `${socket}/${(await of("topology/core_id")) || cpu}`;
    const core = cores.get(key) ?? { socket, threads: [] };
    core.threads.push(cpu);
    cores.set(key, core);
  }
  const all = [...cores.values()];
  return Promise.all(
    all.map(async (core) => ({
      ...core,
      uncoreCache: await readUncoreCache(
        join(folder, `cpu${core.threads[0]}`, "cache"),
        new Set([core.threads.length, all.length * core.threads.length]),
      ),
    })),
  );
}

/** The number of the cache of level 3, unless it is that of one core or of all cores of the node. */
async function readUncoreCache(
  folder: string,
  others: ReadonlySet<number>,
): Promise<number | undefined> {
  for (const index of (await namesIn(folder)).filter((name) => name.startsWith("index"))) {
    const of = (file: string): Promise<string> => textOf(join(folder, index, file));
    if (Number(await of("level")) < 3) continue;
    // A mask in hexadecimal, as "0000ffff,00000000".
    const sharing = (await of("shared_cpu_map")).replaceAll(/[^0-9a-f]/g, "");
    const cpus = [...sharing].reduce((sum, digit) => sum + bits(Number.parseInt(digit, 16)), 0);
    const id = await of("id");
    if (id !== "" && !others.has(cpus)) return Number(id);
  }
  return undefined;
}

const bits = (value: number): number => value.toString(2).replaceAll("0", "").length;

async function readHugePages(folder: string): Promise<NumaNode["hugePages"]> {
  const found = await Promise.all(
    (await namesIn(folder)).map(async (name) => ({
      pageBytes: hugePageBytes(name),
      count: Number(await textOf(join(folder, name, "nr_hugepages"))) || 0,
    })),
  );
  return found.flatMap(({ pageBytes, count }) =>
    pageBytes === undefined ? [] : [{ pageBytes, count }],
  );
}

const numberOf = (name: string, prefix: string): readonly number[] => {
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(digits) ? [Number(digits)] : [];
};

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const textOf = async (path: string): Promise<string> =>
  (await readFile(path, "utf8").catch(() => "")).trim();
