/** The namespaces in which the kernel parameters of a pod are set. */
export interface SysctlNamespaces {
  readonly hostNetwork: boolean;
  readonly hostIpc: boolean;
}

/**
 * Why a pod may not set a kernel parameter: it would be that of the node, or another file. The messages are those of
 * runc, which checks the parameters of containers alike.
 */
export function sysctlProblem(
  name: string,
  { hostNetwork, hostIpc }: SysctlNamespaces,
): string | undefined {
  const path = sysctlPath(name).slice("/proc/sys/".length).split("/");
  const notOwn = `sysctl ${JSON.stringify(name)} is not in a separate kernel namespace`;
  if (path.some((part) => part === "" || part === "." || part === ".." || part.includes("\0")))
    return notOwn;
  const dotted = path.join(".");
  if (ipcParameters.has(dotted) || (dotted.startsWith("fs.mqueue.") && path[1] === "mqueue"))
    return hostIpc
      ? `sysctl ${JSON.stringify(name)} is not allowed in the hosts ipc namespace`
      : undefined;
  if (path[0] === "net")
    return hostNetwork
      ? `sysctl ${JSON.stringify(name)} not allowed in host network namespace`
      : undefined;
  // The node's network comes with its names.
  if (dotted === "kernel.domainname" && !hostNetwork) return undefined;
  if (dotted === "kernel.hostname")
    return `sysctl ${JSON.stringify(name)} is not allowed as it conflicts with the OCI "hostname" field`;
  return notOwn;
}

/** The file of a kernel parameter: dots and slashes may be exchanged, as sysctl allows. */
export function sysctlPath(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  const swapped = name.replace(/[./]/g, (one) => (one === "." ? "/" : "."));
  return `/proc/sys/${separator === "/" ? name : swapped}`;
}

const ipcParameters: ReadonlySet<string> = new Set(
  ["msgmax", "msgmnb", "msgmni", "sem", "shmall", "shmmax", "shmmni", "shm_rmid_forced"].map(
    (name) => `kernel.${name}`,
  ),
);
