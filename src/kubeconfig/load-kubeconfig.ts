import { readFile, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { faultList } from "./fault-list.ts";
import { fileFault, isMissing } from "./file-fault.ts";
import {
  type AuthInfo,
  type Cluster,
  entriesOf,
  type Kubeconfig,
  type Section,
  withEntries,
} from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { mergeKubeconfigs } from "./merge-kubeconfigs.ts";
import { parseKubeconfig } from "./parse-kubeconfig.ts";

/** Where to look for kubeconfigs. */
export interface KubeconfigPlaces {
  /** Only this file, which must exist. */
  readonly path?: string | undefined;
  /** The environment with `KUBECONFIG`; that of this process if not given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The home directory with `.kube/config`, used without both; the user's own if not given. */
  readonly home?: string | undefined;
  /** The folder to which relative paths refer; that of this process if not given. */
  readonly cwd?: string | undefined;
  /** Called with each file that was loaded. */
  readonly onLoaded?: ((path: string) => void) | undefined;
}

/** A kubeconfig that was loaded from files. */
export interface LoadedKubeconfig extends Pick<KubeconfigPlaces, "cwd"> {
  /** The merged kubeconfig, with paths as they are written. */
  readonly config: Kubeconfig;
  /** The files that exist; earlier ones take precedence. */
  readonly files: readonly KubeconfigFile[];
}

export interface KubeconfigFile {
  readonly path: string;
  readonly config: Kubeconfig;
}

/** The files to read; earlier ones take precedence. */
export function kubeconfigPaths({ path, env = process.env, home }: KubeconfigPlaces): string[] {
  if (path) return [path];
  const listed = [...new Set((env.KUBECONFIG ?? "").split(delimiter))].filter((one) => one !== "");
  if (listed.length > 0) return listed;
  return [join(home ?? (env.HOME || homedir()), ".kube", "config")];
}

/** Loads the kubeconfigs of these locations. Missing files are skipped, except one that was named. */
export async function loadKubeconfig(places: KubeconfigPlaces = {}): Promise<LoadedKubeconfig> {
  const { path: named, cwd = "" } = places;
  if (named) await mustExist(named, cwd);
  const files: KubeconfigFile[] = [];
  const faults: string[] = [];
  for (const path of kubeconfigPaths(places)) {
    try {
      const config = await readKubeconfig(path, cwd);
      if (!config) continue;
      files.push({ path, config });
      places.onLoaded?.(path);
    } catch (cause) {
      faults.push(`error loading config file "${path}": ${(cause as Error).message}`);
    }
  }
  if (faults.length > 0) throw new KubeconfigError(faultList(faults));
  return { config: mergeKubeconfigs(files.map(({ config }) => config)), files, cwd };
}

/** Reads one file; undefined if it is missing. */
async function readKubeconfig(path: string, cwd: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, path), "utf8");
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new KubeconfigError(fileFault("open", path, cause), { cause });
  }
  return parseKubeconfig(text);
}

/** The merged kubeconfig, with paths resolved relative to each file. */
export function resolvedKubeconfig({ config, files, cwd = "" }: LoadedKubeconfig): Kubeconfig {
  const folder = (section: Section, name: string): string | undefined => {
    const file = files.find((one) => entriesOf(one.config, section).has(name));
    return file && resolve(cwd, dirname(file.path));
  };
  const clusters = new Map(
    [...entriesOf(config, "clusters")].map(([name, cluster]) => [
      name,
      resolvedCluster(cluster, folder("clusters", name)),
    ]),
  );
  const users = new Map(
    [...entriesOf(config, "users")].map(([name, user]) => [
      name,
      resolvedUser(user, folder("users", name)),
    ]),
  );
  return withEntries(withEntries(config, "clusters", clusters), "users", users);
}

async function mustExist(path: string, cwd: string): Promise<void> {
  try {
    await stat(resolve(cwd, path));
  } catch (cause) {
    if (isMissing(cause)) throw new KubeconfigError(fileFault("stat", path, cause), { cause });
  }
}

function resolvedCluster(cluster: Cluster, folder: string | undefined): Cluster {
  return resolvedFields(cluster, ["certificate-authority"], folder);
}

function resolvedUser(user: AuthInfo, folder: string | undefined): AuthInfo {
  const fields = ["client-certificate", "client-key", "tokenFile"] as const;
  const resolved = resolvedFields(user, fields, folder);
  // A program without a directory is looked up in PATH.
  const { exec } = resolved;
  if (!exec?.command?.includes(sep)) return resolved;
  return { ...resolved, exec: resolvedFields(exec, ["command"], folder) };
}

function resolvedFields<T extends object>(
  object: T,
  fields: readonly (keyof T & string)[],
  folder: string | undefined,
): T {
  const changed: Record<string, string> = {};
  for (const field of fields) {
    const path = object[field];
    if (folder !== undefined && typeof path === "string" && path !== "" && !isAbsolute(path))
      changed[field] = join(folder, path);
  }
  return Object.keys(changed).length === 0 ? object : { ...object, ...changed };
}
