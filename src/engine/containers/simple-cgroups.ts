import { existsSync } from "node:fs";
import { readdir, readFile, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContainerCgroups } from "./leftovers.ts";

const root = "/sys/fs/cgroup";

/** The cgroups of this machine, whatever their version. */
export const simpleCgroups: ContainerCgroups = {
  async pids(path) {
    const found = new Set<number>();
    for (const folder of await foldersOf(path))
      for (const one of await below(folder))
        for (const line of (await text(join(one, "cgroup.procs"))).split("\n"))
          if (line !== "") found.add(Number(line));
    return [...found];
  },
  async hasOomKill(path) {
    for (const folder of await foldersOf(path))
      for (const name of ["memory.oom_control", "memory.events"])
        if (/^oom_kill [1-9]/m.test(await text(join(folder, name)))) return true;
    return false;
  },
  async usage(path) {
    const read = async (name: string): Promise<string> => {
      for (const folder of await foldersOf(path)) {
        const found = await text(join(folder, name));
        if (found !== "") return found;
      }
      return "";
    };
    const cpu = (await read("cpuacct.usage")).trim();
    const micros = /^usage_usec (\d+)/m.exec(await read("cpu.stat"))?.[1] ?? "0";
    const memoryBytes = Number(
      (await read("memory.usage_in_bytes")) || (await read("memory.current")),
    );
    const stat = await read("memory.stat");
    const of = (name: RegExp): number => Number(name.exec(stat)?.[1] ?? 0);
    return {
      cpuNanoSeconds: cpu === "" ? BigInt(micros) * 1000n : BigInt(cpu),
      memoryBytes,
      workingSetBytes: Math.max(0, memoryBytes - of(/^(?:total_)?inactive_file (\d+)/m)),
      rssBytes: of(/^(?:total_rss|anon) (\d+)/m),
    };
  },
  async remove(path) {
    for (const folder of await foldersOf(path))
      for (const one of (await below(folder)).reverse()) await rmdir(one).catch(() => {});
  },
};

/** The folders of a cgroup in all hierarchies that have it. */
async function foldersOf(path: string): Promise<readonly string[]> {
  if (path === "" || path === "/") return [];
  const hierarchies = [root, ...(await readdir(root)).map((name) => join(root, name))];
  return hierarchies.map((one) => join(one, path)).filter((folder) => existsSync(folder));
}

/** A folder and those below it, parents first. */
async function below(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory());
  const deeper = await Promise.all(folders.map(({ name }) => below(join(folder, name))));
  return [folder, ...deeper.flat()];
}

const text = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
