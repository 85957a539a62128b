import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mustRun, runChild } from "../../platform/run-child.ts";

/** The namespaces that the containers of a pod share; those of the node are absent. */
export interface PodNamespaces {
  readonly network?: string | undefined;
  readonly ipc?: string | undefined;
  readonly uts?: string | undefined;
}

export interface PodNamespaceOptions {
  readonly hostname: string;
  readonly hostNetwork: boolean;
  readonly hostIpc: boolean;
  readonly sysctls: Readonly<Record<string, string>>;
}

/**
 * Creates namespaces that no process holds: files of a folder are bound to them. Their loopback is up, and the
 * hostname and kernel parameters are set.
 */
export async function createNamespaces(
  folder: string,
  { hostname, hostNetwork, hostIpc, sysctls }: PodNamespaceOptions,
): Promise<PodNamespaces> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const namespaces = {
    ...(!hostNetwork && { network: join(folder, "net"), uts: join(folder, "uts") }),
    ...(!hostIpc && { ipc: join(folder, "ipc") }),
  };
  const flags = Object.entries(namespaces).map(
    ([name, path]) => `--${name === "network" ? "net" : name}=${path}`,
  );
  if (flags.length === 0) return namespaces;
  for (const path of Object.values(namespaces)) await writeFile(path, "");
  const steps = [
    ...(hostNetwork ? [] : ["ip link set lo up", 'printf %s "$0" > /proc/sys/kernel/hostname']),
    ...Object.keys(sysctls).map((_, i) => `printf %s "$\{${2 * i + 2}}" > "$\{${2 * i + 1}}"`),
  ];
  const parameters = Object.entries(sysctls).flatMap(([name, value]) => [sysctlPath(name), value]);
  const script = ["set -e", ...steps].join("\n");
  await mustRun("unshare", [...flags, "sh", "-c", script, hostname, ...parameters]);
  return namespaces;
}

/** The file of a kernel parameter: dots and slashes may be exchanged, as sysctl allows. */
export function sysctlPath(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  const swapped = name.replace(/[./]/g, (one) => (one === "." ? "/" : "."));
  return `/proc/sys/${separator === "/" ? name : swapped}`;
}

/** Ends namespaces that nothing uses any more. */
export async function removeNamespaces(folder: string): Promise<void> {
  const paths = ["net", "ipc", "uts"]
    .map((name) => join(folder, name))
    .filter((one) => existsSync(one));
  // A file that nothing is bound to cannot be unmounted, and need not be.
  if (paths.length > 0) await runChild("umount", ["--lazy", ...paths]);
  await rm(folder, { recursive: true, force: true });
}
