import { type Dirent, existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { boxPaths } from "../../../src/cluster/box/box-paths.ts";
import type { ClusterRecord } from "../../../src/cluster/up/cluster-record.ts";
import { runChild } from "../../../src/platform/run-child.ts";
import type { CrashCluster } from "./crash-cluster.ts";

/** What is left in the box of a node whose pods are all deleted: nothing but the agent should be. */
export async function boxLeftovers(cluster: CrashCluster): Promise<readonly string[]> {
  const { pid } = cluster.init;
  const root = `/proc/${pid}/root`;
  const mounts = mountPoints(`/proc/${pid}/mountinfo`)
    .filter((path) => ownMounts.some((folder) => path.startsWith(folder)))
    .map((path) => `mount ${path}`);
  const files = emptyFolders.flatMap((folder) =>
    entries(join(root, folder)).map(({ name }) => `file ${join(folder, name)}`),
  );
  const temporary = entries(join(root, "run/wherry/engine"))
    .filter(({ name }) => !["exits", "ns", "oci"].includes(name))
    .map(({ name }) => `file /run/wherry/engine/${name}`);
  const agent = await cluster.agent();
  const processes = processesIn(readlinkSync(`/proc/${pid}/ns/pid`))
    .filter((one) => one !== pid && one !== agent.pid && parentOf(one) !== agent.pid)
    .map((one) => `process ${one}: ${commandLine(one)}`);
  const { cgroup } = await boxPaths(cluster.box);
  const cgroups = cgroupsBelow(cgroup)
    .filter((path) => /\/pod[0-9a-f-]{36}|\/[0-9a-f]{64}/.test(path))
    .map((path) => `cgroup ${path}`);
  const links = await runChild("nsenter", ["-t", String(pid), "-n", "ip", "-br", "link"]);
  const interfaces = links.stdout
    .split("\n")
    .filter((line) => line.startsWith("veth"))
    .map((line) => `interface ${line.split(" ")[0]}`);
  return [...mounts, ...files, ...temporary, ...processes, ...cgroups, ...interfaces];
}

/** The mounts of pods are below these folders. The tmpfs of all volumes in memory itself stays. */
const ownMounts = [
  ...["/var/lib/kubelet/pods/", "/var/lib/kubelet/memory-volumes/", "/run/wherry/engine/"],
  ...["/var/lib/wherry/engine/snapshots/", "/var/lib/wherry/engine/sandboxes/"],
];

/** Links to logs are left to the next collection of garbage. */
const emptyFolders = [
  ...["var/lib/kubelet/pods", "var/lib/kubelet/memory-volumes", "var/log/pods"],
  ...["var/lib/wherry/engine/containers", "var/lib/wherry/engine/sandboxes"],
  ...["var/lib/wherry/engine/snapshots/snapshots", "var/lib/wherry/engine/addresses"],
  ...["run/wherry/engine/exits", "run/wherry/engine/ns", "run/wherry/engine/oci"],
];

/** What a deleted cluster has left on this machine. */
export async function machineLeftovers(
  home: string,
  { box, cgroup, link, record }: Machine,
): Promise<readonly string[]> {
  const output = async (program: string, ...args: string[]): Promise<readonly string[]> =>
    (await runChild(program, args)).stdout.split("\n");
  const { nodes = "", pods = "", gateway = "" } = record.ranges ?? {};
  const isOwn = (line: string): boolean =>
    [nodes, pods, gateway].some((range) => line.includes(networkOf(range)));
  return [
    ...mountPoints("/proc/self/mountinfo").filter((path) => path.startsWith(home)),
    ...(await output("ip", "-br", "link")).filter((line) => line.includes(link)),
    ...(await output("ip", "route")).filter(isOwn),
    ...(await output("ip", "-br", "addr")).filter(isOwn),
    ...(await output("nft", "list", "ruleset")).filter(isOwn),
    ...cgroupsBelow(cgroup).map((path) => `cgroup ${path}`),
    ...entries("/proc")
      .map(({ name }) => Number(name))
      .filter((pid) => pid > 0 && pid !== process.pid)
      .filter((pid) => [commandLine(pid), environment(pid)].some((text) => text.includes(home)))
      .map((pid) => `process ${pid}: ${commandLine(pid)}`),
    ...(existsSync(box) ? [`folder ${box}`] : []),
  ];
}

/** What must be known of a cluster before it is deleted. */
export interface Machine {
  readonly box: string;
  readonly cgroup: string;
  readonly link: string;
  readonly record: ClusterRecord;
}

export async function machineOf({ box, record }: CrashCluster): Promise<Machine> {
  const { cgroup, link } = await boxPaths(box);
  return { box, cgroup, link, record };
}

/** The start of all addresses of a range. */
const networkOf = (range: string): string => {
  const [address = "", length = "32"] = range.split("/");
  const parts = address.split(".").slice(0, Math.floor(Number(length) / 8));
  return parts.length === 0 ? address : parts.join(".");
};

const mountPoints = (path: string): readonly string[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.split(" ")[4] ?? "");

function entries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The cgroups of a name with all below them, in every hierarchy. */
function cgroupsBelow(cgroup: string): readonly string[] {
  const below = (folder: string): readonly string[] => [
    folder,
    ...entries(folder)
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => below(join(folder, name))),
  ];
  return entries("/sys/fs/cgroup")
    .map(({ name }) => join("/sys/fs/cgroup", name, basename(cgroup)))
    .filter((folder) => existsSync(folder))
    .flatMap(below);
}

function processesIn(namespace: string): readonly number[] {
  return entries("/proc")
    .map(({ name }) => Number(name))
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/ns/pid`) === namespace;
      } catch {
        return false;
      }
    });
}

const parentOf = (pid: number): number =>
  Number(/^PPid:\s*(\d+)$/m.exec(procText(pid, "status"))?.[1]);

const commandLine = (pid: number): string => procText(pid, "cmdline");
const environment = (pid: number): string => procText(pid, "environ");

function procText(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
