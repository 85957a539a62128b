import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is left of containers that were removed: mounts, processes, cgroups and folders. */
export function engineLeftovers(root: string, cgroup: string): readonly string[] {
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "")
    .filter((path) => path.startsWith(root));
  const processes = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => commandLine(pid).some((argument) => argument.startsWith(`${root}/data`)))
    .map((pid) => `process ${pid}: ${commandLine(pid).join(" ")}`);
  const cgroups = readdirSync("/sys/fs/cgroup")
    .map((hierarchy) => join("/sys/fs/cgroup", hierarchy, cgroup))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => containerCgroups(folder));
  const folders = [
    "data/containers",
    "data/sandboxes",
    "data/snapshots/snapshots",
    "run/exits",
    "run/ns",
    "run/oci",
    "run/probes",
    "run/roots",
    "data/snapshots/mapped",
  ]
    .map((name) => join(root, name))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const files = readdirSync(join(root, "run"))
    .filter((name) => name.startsWith("exec-"))
    .map((name) => join(root, "run", name));
  return [...mounts.map((path) => `mount ${path}`), ...processes, ...cgroups, ...folders, ...files];
}

/** The cgroups of containers: those of their pods are the kubelet's. */
function containerCgroups(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [
      ...(/^[0-9a-f]{64}$/.test(name) ? [join(folder, name)] : []),
      ...containerCgroups(join(folder, name)),
    ]);
}

function commandLine(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}
