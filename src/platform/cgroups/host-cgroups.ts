import { existsSync } from "node:fs";
import { readdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { type CgroupHierarchies, findHierarchies } from "./cgroup-hierarchies.ts";
import { cgroupPath } from "./cgroup-path.ts";
import type { CgroupStats, CgroupUsage } from "./cgroup-stats.ts";
import type { CgroupLimits, Cgroups } from "./cgroups.ts";
import { createCgroupV1, createCgroupV2, words } from "./create-cgroup.ts";
import type { LinuxResources } from "./linux-resources.ts";
import {
  type ReadCgroupFile,
  readStatsV1,
  readStatsV2,
  readUsageV1,
  readUsageV2,
} from "./read-cgroup-stats.ts";
import { readLimitsV1, readLimitsV2 } from "./read-limits.ts";
import { type CgroupWrite, resourceWritesV1, resourceWritesV2 } from "./resource-writes.ts";

/**
 * Opens the cgroups of this host.
 */
export async function openCgroups(mountinfo = "/proc/self/mountinfo"): Promise<Cgroups> {
  const hierarchies = findHierarchies(await readFile(mountinfo, "utf8"));
  if (hierarchies === undefined)
    throw new Error("no cgroups are mounted: mount them at /sys/fs/cgroup");
  return new HostCgroups(hierarchies, await controllersOf(hierarchies));
}

async function controllersOf({
  version,
  unified = "",
  controllers,
}: CgroupHierarchies): Promise<ReadonlySet<string>> {
  if (version !== "v2") return new Set(controllers.keys());
  return new Set(words(await textOf(join(unified, "cgroup.controllers"))));
}

/** The controllers that limit pods. */
const podControllers = ["cpu", "cpuacct", "cpuset", "memory", "pids", "hugetlb"];

class HostCgroups implements Cgroups {
  readonly #hierarchies: CgroupHierarchies;

  readonly controllers: ReadonlySet<string>;

  constructor(hierarchies: CgroupHierarchies, controllers: ReadonlySet<string>) {
    this.#hierarchies = hierarchies;
    this.controllers = controllers;
  }

  get version(): Cgroups["version"] {
    return this.#hierarchies.version;
  }

  async exists(path: string): Promise<boolean> {
    const needed = podControllers.filter((name) => this.controllers.has(name));
    const { unified = "", controllers } = this.#hierarchies;
    const inHierarchy = cgroupPath(path);
    if (this.version !== "v2")
      return needed.every((name) => existsSync(join(controllers.get(name) ?? "", inHierarchy)));
    const own = words(await textOf(join(unified, inHierarchy, "cgroup.controllers")));
    return needed.every((name) => own.includes(name));
  }

  async create(path: string): Promise<void> {
    const inHierarchy = cgroupPath(path);
    if (this.version === "v2") await createCgroupV2(this.#hierarchies.unified ?? "", inHierarchy);
    else await createCgroupV1(this.#hierarchies, inHierarchy);
  }

  async children(path: string): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const folder of this.#folders(path))
      for (const name of (await foldersIn(folder)) ?? []) names.add(name);
    return [...names];
  }

  async pids(path: string): Promise<readonly number[]> {
    const found = new Set<number>();
    for (const folder of this.#folders(path))
      for (const one of await below(folder))
        for (const line of (await textOf(join(one, "cgroup.procs"))).split("\n"))
          if (line !== "") found.add(Number(line));
    return [...found];
  }

  async hasOomKill(path: string): Promise<boolean> {
    const read = this.#reader(path);
    const file = this.version === "v2" ? "memory.events" : "memory.oom_control";
    return /^oom_kill [1-9]/m.test(await read(file));
  }

  usage(path: string): Promise<CgroupUsage> {
    const read = this.#reader(path);
    return this.version === "v2" ? readUsageV2(read) : readUsageV1(read);
  }

  limits(path: string): Promise<CgroupLimits> {
    const read = this.#reader(path);
    return this.version === "v2" ? readLimitsV2(read) : readLimitsV1(read);
  }

  async stats(path: string): Promise<CgroupStats | undefined> {
    if (!this.#folders(path).some((folder) => existsSync(folder))) return undefined;
    const read = this.#reader(path);
    return await (this.version === "v2" ? readStatsV2(read) : readStatsV1(read));
  }

  async update(path: string, resources: LinuxResources): Promise<void> {
    const isV2 = this.version === "v2";
    let writes = isV2 ? resourceWritesV2(resources) : resourceWritesV1(resources);
    // Whether a limit may be set can depend on another, such as memory on memory and swap: the second
    // time all others are set.
    for (let isLast = false; writes.length > 0; isLast = true) {
      const refused = await this.#write(path, writes);
      if (isLast && refused[0]) throw refused[0].error;
      writes = refused.map(({ write }) => write);
    }
  }

  async remove(path: string): Promise<void> {
    if (cgroupPath(path) === "/") return;
    for (const folder of this.#folders(path)) await removeFolder(folder);
  }

  #reader(path: string): ReadCgroupFile {
    const place = this.#place(path);
    return (name) => textOf(place(name));
  }

  /** Gives the full path of a file of a cgroup, whose name begins with that of its controller. */
  #place(path: string): (name: string) => string {
    const { unified, controllers } = this.#hierarchies;
    const inHierarchy = cgroupPath(path);
    return (name) => {
      const controller = name.slice(0, name.indexOf("."));
      const mountPoint = this.version === "v2" ? unified : controllers.get(controller);
      return join(mountPoint ?? "/nonexistent", inHierarchy, name);
    };
  }

  #folders(path: string): readonly string[] {
    const inHierarchy = cgroupPath(path);
    return this.#hierarchies.all.map((mountPoint) => join(mountPoint, inHierarchy));
  }

  async #write(path: string, writes: readonly CgroupWrite[]): Promise<readonly Refused[]> {
    const place = this.#place(path);
    const refused: Refused[] = [];
    for (const write of writes) {
      const places = write.files.map(place);
      const existing = places.find((candidate) => existsSync(candidate));
      if (existing === undefined && write.isOptional) continue;
      const file = existing ?? places[0] ?? "";
      try {
        await writeFile(file, write.value, { flag: "r+" });
      } catch (cause) {
        const error = new Error(`failed to write "${write.value}" to "${file}"`, { cause });
        refused.push({ write, error });
      }
    }
    return refused;
  }
}

interface Refused {
  readonly write: CgroupWrite;
  readonly error: Error;
}

/** A cgroup is busy until its last process is gone, which takes a moment after it was killed. */
async function removeFolder(folder: string): Promise<void> {
  for (let waitMs = 1; ; waitMs *= 2) {
    const busy = await tryRemove(folder);
    if (busy === undefined) return;
    if (waitMs > longestWaitMs) throw new Error(`cannot remove cgroup ${folder}`, { cause: busy });
    await after(waitMs);
  }
}

const longestWaitMs = 1024;

/** Removes what can be removed, the deepest first; resolves with the first error. */
async function tryRemove(folder: string): Promise<unknown> {
  let failure: unknown;
  for (const one of (await below(folder)).reverse()) {
    try {
      await rmdir(one);
    } catch (error) {
      if (!hasCode(error, "ENOENT")) failure ??= error;
    }
  }
  return failure;
}

/** A folder and those below it, parents first; none if it does not exist. */
async function below(folder: string): Promise<string[]> {
  const names = await foldersIn(folder);
  if (!names) return [];
  const deeper = await Promise.all(names.map((name) => below(join(folder, name))));
  return [folder, ...deeper.flat()];
}

/** The names of the folders in a folder; undefined if it does not exist. */
async function foldersIn(folder: string): Promise<readonly string[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** A cgroup may vanish at any time; reading a file of one that does fails in several ways. */
const textOf = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
