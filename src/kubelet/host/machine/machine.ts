import { readdir, readFile } from "node:fs/promises";
import { cpus, release } from "node:os";
import { join } from "node:path";
import { type Clock, steadyTimeOf } from "../../../base/clock.ts";
import { cpuCount, cpuTopology, hugePageBytes, memoryBytes, osImageOf } from "./machine-files.ts";

/** The machine that a kubelet runs on. */
export interface Machine {
  /** Its properties, which are read again after some minutes: memory can be added while it runs. */
  info(): Promise<MachineInfo>;
}

export interface MachineInfo {
  readonly cpus: number;
  readonly physicalCores: number;
  readonly sockets: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly hugePages: readonly HugePages[];
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  /** In the words of images: `amd64`. */
  readonly architecture: string;
}

/** Memory that is set aside for huge pages of one size. */
export interface HugePages {
  readonly pageBytes: number;
  readonly count: number;
}

/** Opens the machine whose `/proc`, `/sys` and `/etc` are below a folder, by default that of this process. */
export function openMachine(clock: Clock, root = "/"): Machine {
  const steadyTime = steadyTimeOf(clock);
  let known: { readonly info: MachineInfo; readonly at: number } | undefined;
  return {
    async info() {
      if (!known || steadyTime() - known.at >= rereadMs)
        known = { info: await readMachine(root), at: steadyTime() };
      return known.info;
    },
  };
}

const rereadMs = 5 * 60_000;

async function readMachine(root: string): Promise<MachineInfo> {
  const firstOf = async (...paths: readonly string[]): Promise<string> => {
    for (const path of paths) {
      const text = await readFile(join(root, path), "utf8").catch(() => undefined);
      if (text !== undefined) return text.replaceAll("\0", "").trim();
    }
    return "";
  };
  const meminfo = await firstOf("proc/meminfo");
  const { cores: physicalCores, sockets } = cpuTopology(await firstOf("proc/cpuinfo"));
  return {
    cpus: cpuCount(await firstOf("sys/devices/system/cpu/online")) || cpus().length,
    physicalCores,
    sockets,
    memoryBytes: memoryBytes(meminfo, "MemTotal"),
    swapBytes: memoryBytes(meminfo, "SwapTotal"),
    hugePages: await readHugePages(join(root, "sys/kernel/mm/hugepages")),
    machineID: await firstOf("etc/machine-id", "var/lib/dbus/machine-id"),
    systemUUID: await firstOf(
      "sys/class/dmi/id/product_uuid",
      "proc/device-tree/system-id",
      "proc/device-tree/vm,uuid",
      "etc/machine-id",
    ),
    bootID: await firstOf("proc/sys/kernel/random/boot_id"),
    kernelVersion: release(),
    osImage: osImageOf(await firstOf("etc/os-release", "usr/lib/os-release")),
    architecture: architectures[process.arch] ?? process.arch,
  };
}

const architectures: Readonly<Record<string, string>> = {
  x64: "amd64",
  ia32: "386",
  ppc64: "ppc64le",
};

/** Kernels without huge pages do not have the folder. */
async function readHugePages(folder: string): Promise<readonly HugePages[]> {
  const names = await readdir(folder).catch(() => []);
  const all = await Promise.all(
    names.map(async (name): Promise<HugePages | undefined> => {
      const pageBytes = hugePageBytes(name);
      if (pageBytes === undefined) return undefined;
      const count = await readFile(join(folder, name, "nr_hugepages"), "utf8").catch(() => "0");
      return { pageBytes, count: Number.parseInt(count, 10) || 0 };
    }),
  );
  return all.filter((pages) => pages !== undefined);
}
