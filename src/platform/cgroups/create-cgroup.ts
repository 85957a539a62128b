import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CgroupHierarchies } from "./cgroup-hierarchies.ts";

/** Creates a cgroup in all hierarchies of version 1; `path` is its path in them. */
export async function createCgroupV1(
  { all, unified, controllers }: CgroupHierarchies,
  path: string,
): Promise<void> {
  const cpuset = controllers.get("cpuset");
  for (const mountPoint of all) {
    if (mountPoint === unified) continue;
    await mkdir(join(mountPoint, path), { recursive: true });
    if (mountPoint === cpuset)
      for (const [parent, child] of steps(mountPoint, path)) await inheritCpuset(parent, child);
  }
}

/** Creates a cgroup in the hierarchy of version 2, and hands all controllers down to it. */
export async function createCgroupV2(mountPoint: string, path: string): Promise<void> {
  for (const [parent, child] of steps(mountPoint, path)) {
    const controllers = words(await readFile(join(parent, "cgroup.controllers"), "utf8"));
    await handDown(parent, controllers);
    await mkdir(child, { recursive: true });
  }
}

/** A controller that cannot be handed down does not prevent the others. */
async function handDown(folder: string, controllers: readonly string[]): Promise<void> {
  const file = join(folder, "cgroup.subtree_control");
  const enable = (names: readonly string[]): Promise<void> =>
    writeFile(file, names.map((name) => `+${name}`).join(" "));
  try {
    await enable(controllers);
  } catch {
    for (const name of controllers) await enable([name]).catch(() => {});
  }
}

/** No process may join a cgroup that has no processors or no memory nodes: those of its parent are taken. */
async function inheritCpuset(parent: string, child: string): Promise<void> {
  for (const name of ["cpuset.cpus", "cpuset.mems"]) {
    const own = await readFile(join(child, name), "utf8");
    if (own.trim() !== "") continue;
    await writeFile(join(child, name), (await readFile(join(parent, name), "utf8")).trim());
  }
}

/** Each folder on the way to a cgroup with the one above it, the topmost first. */
function steps(mountPoint: string, path: string): readonly (readonly [string, string])[] {
  const parts = path.split("/").filter((part) => part !== "");
  return parts.map((_, at) => [
    join(mountPoint, ...parts.slice(0, at)),
    join(mountPoint, ...parts.slice(0, at + 1)),
  ]);
}

/** The words of a line. */
export const words = (text: string): readonly string[] =>
  text.split(/\s+/).filter((word) => word !== "");
