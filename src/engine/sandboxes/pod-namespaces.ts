import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, runChild } from "../../platform/run-child.ts";
import type { IdMappings } from "../containers/container-settings.ts";
import { mappedId } from "../snapshots/mapped-users.ts";
import { createOwnedNamespaces } from "./owned-namespaces.ts";
import { sysctlPath, sysctlProblem } from "./sysctl-problem.ts";

/** The namespaces that the containers of a pod share; those of the node are absent. */
export interface PodNamespaces {
  readonly network?: string | undefined;
  readonly ipc?: string | undefined;
  readonly uts?: string | undefined;
  /** The user namespace that the others belong to. */
  readonly user?: string | undefined;
}

export interface PodNamespaceOptions {
  readonly hostname: string;
  readonly hostNetwork: boolean;
  readonly hostIpc: boolean;
  readonly sysctls: Readonly<Record<string, string>>;
  /** The folder of `/dev/shm`, which is mounted unless it is the node's. */
  readonly sharedMemory: string;
  /** The users of the pod, if they are not the node's: then it shares nothing with its node. */
  readonly users?: IdMappings | undefined;
}

/**
 * Creates namespaces that no process holds: files of a folder are bound to them. Their loopback is up, and the
 * hostname and kernel parameters are set. One child does it all.
 */
export async function createNamespaces(
  folder: string,
  { hostname, hostNetwork, hostIpc, sysctls, sharedMemory, users }: PodNamespaceOptions,
): Promise<PodNamespaces> {
  for (const name of Object.keys(sysctls)) {
    const problem = sysctlProblem(name, { hostNetwork, hostIpc });
    if (problem !== undefined) throw new Error(problem);
  }
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const namespaces = {
    ...(!hostNetwork && { network: join(folder, "net"), uts: join(folder, "uts") }),
    ...(!hostIpc && { ipc: join(folder, "ipc") }),
    ...(users && { user: join(folder, "user") }),
  };
  if (Object.keys(namespaces).length === 0) return namespaces;
  for (const path of Object.values(namespaces)) await writeFile(path, "");
  if (!hostIpc) await mkdir(sharedMemory, { recursive: true });
  const parameters = Object.entries(sysctls).map(
    ([name, value]) => [sysctlPath(name), value] as const,
  );
  const { network, ipc, uts, user } = namespaces;
  if (users && user && network && ipc && uts) {
    await mountSharedMemory(sharedMemory, users);
    await createOwnedNamespaces({ user, network, ipc, uts }, { users, hostname, parameters });
    return namespaces;
  }
  const flags = Object.entries(namespaces).map(
    ([name, path]) => `--${name === "network" ? "net" : name}=${path}`,
  );
  const inside = [
    "set -e",
    ...(hostNetwork ? [] : ["ip link set lo up", 'printf %s "$0" > /proc/sys/kernel/hostname']),
    ...parameters.map((_, i) => `printf %s "$\{${2 * i + 2}}" > "$\{${2 * i + 1}}"`),
  ];
  const mount = hostIpc ? "" : `mount -n -i -c -t tmpfs -o ${sharedMemoryOptions} shm "$0" && `;
  await mustRun("sh", [
    ...["-c", `${mount}exec unshare "$@"`, sharedMemory, ...flags],
    ...["sh", "-c", inside.join("\n"), hostname, ...parameters.flat()],
  ]);
  return namespaces;
}

/** Mounts a `/dev/shm` that belongs to the root of a pod. */
async function mountSharedMemory(path: string, users: IdMappings): Promise<void> {
  const { uidMappings, gidMappings } = users;
  const owner = `uid=${mappedId(0, uidMappings)},gid=${mappedId(0, gidMappings)}`;
  const options = `${sharedMemoryOptions},${owner}`;
  await mustRun("mount", ["-n", "-i", "-c", "-t", "tmpfs", "-o", options, "shm", path]);
}

const sharedMemoryOptions = "nosuid,noexec,nodev,mode=1777,size=65536k";

/** Ends namespaces that nothing uses any more, and unmounts the shared memory. */
export async function removeNamespaces(folder: string, sharedMemory: string): Promise<void> {
  const files = ["net", "ipc", "uts", "user"].map((name) => join(folder, name));
  const paths = [...files, sharedMemory].filter((one) => existsSync(one));
  // What nothing is mounted at cannot be unmounted, and need not be.
  if (paths.length > 0) await runChild("umount", ["--lazy", ...paths]);
  await rm(folder, { recursive: true, force: true });
}
