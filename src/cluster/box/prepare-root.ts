import { readdir, readFile, readlink, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mountPoints } from "../../engine/snapshots/overlay-mount.ts";
import type { BoxOptions } from "./box.ts";
import type { BoxPaths } from "./box-paths.ts";
import { makeFile, makeFolder, makeLink } from "./own-files.ts";
import { type KeptPath, type MachineFiles, mountTable, planMounts } from "./plan-mounts.ts";
import { reachableResolvers } from "./reachable-resolvers.ts";

/** Prepares the folder of a box that does not run; resolves with the names of its overlays. */
export async function prepareRoot(
  { node, address, keep }: BoxOptions,
  paths: BoxPaths,
): Promise<readonly string[]> {
  const { folder, root, upper } = paths;
  const [machine, hosts] = await Promise.all([
    machineFiles(keep),
    readFile("/etc/hosts", "utf8").catch(() => "127.0.0.1\tlocalhost\n"),
  ]);
  const { overlays, links, folders, files, mounts } = planMounts(machine, paths.resolvConf);
  for (const [name, mode] of Object.entries(ownFolders)) makeFolder(folder, `root/${name}`, mode);
  for (const path of [...overlays, ...folders]) makeFolder(folder, `root/${path}`);
  for (const name of overlays) makeFolder(folder, `upper/${name}`);
  for (const name of overlays) makeFolder(folder, `work/${name}`);
  for (const [name, target] of [...links, ...ownLinks]) makeLink(root, name, target);
  for (const path of files) makeFile(root, path, "");
  for (const [name, text] of Object.entries({
    hostname: `${node}\n`,
    hosts: `${hosts.trimEnd()}\n${address}\t${node}\n`,
    "machine-id": `${paths.machineId}\n`,
    // In place of a link; the file of the box is mounted there.
    "resolv.conf": "",
  }))
    makeFile(upper, `etc/${name}`, text);
  await Promise.all([writeFile(paths.mounts, mountTable(mounts, "root")), writeResolvConf(paths)]);
  return overlays;
}

/** Writes the name servers of the machine where a box reads them; also while it runs. */
export async function writeResolvConf({ resolvConf }: BoxPaths): Promise<void> {
  const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");
  const texts = [read("/etc/resolv.conf"), read("/run/systemd/resolve/resolv.conf")];
  await writeFile(resolvConf, reachableResolvers(await Promise.all(texts)), { mode: 0o644 });
}

/** The directories of a box that are not the machine's. `.machine` is where the old root goes for a moment. */
const ownFolders: Readonly<Record<string, number>> = {
  ...{ ".": 0o755, proc: 0o755, sys: 0o755, dev: 0o755, run: 0o755, etc: 0o755, opt: 0o755 },
  ...{ tmp: 0o1777, root: 0o700, home: 0o755, mnt: 0o755, media: 0o755, srv: 0o755 },
  ...{ "var/lib": 0o755, "var/log": 0o755, "var/cache": 0o755, "var/spool": 0o755 },
  ...{ "var/tmp": 0o1777, ".machine": 0o755 },
};

const ownLinks = [
  ["var/run", "/run"],
  ["var/lock", "/run/lock"],
] as const;

async function machineFiles(keep: readonly string[]): Promise<MachineFiles> {
  const [entries, mountinfo, kept] = await Promise.all([
    readdir("/", { withFileTypes: true }),
    readFile("/proc/self/mountinfo", "utf8"),
    Promise.all(keep.map(keptPaths)),
  ]);
  const top = entries
    .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    .map(
      async (entry): Promise<[string, string | undefined]> => [
        entry.name,
        entry.isSymbolicLink() ? await readlink(join("/", entry.name)) : undefined,
      ],
    );
  return {
    top: new Map(await Promise.all(top)),
    mountPoints: mountPoints(mountinfo),
    keep: kept.flat(),
  };
}

/** A path, and the one that it has without links: a program may know itself by either. */
async function keptPaths(path: string): Promise<readonly KeptPath[]> {
  const [real, found] = await Promise.all([realpath(path), stat(path)]);
  return [...new Set([path, real])].map((one) => ({ path: one, isFolder: found.isDirectory() }));
}
