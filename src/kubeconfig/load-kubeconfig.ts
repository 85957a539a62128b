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
import { mergeKubeconfigs } from "./merge-kubeconfigs.ts";
import { KubeconfigError, parseKubeconfig } from "./parse-kubeconfig.ts";

/** Where kubeconfigs are looked for. */
export interface KubeconfigPlaces {
  /** This file alone, which must be there. */
  readonly path?: string | undefined;
  /** Where `KUBECONFIG` is looked up; the environment of this process if not given. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** In whose `.kube/config` is looked without both; the user's own if not given. */
  readonly home?: string | undefined;
}

/** A kubeconfig that was read from files. */
export interface LoadedKubeconfig {
  /** What they say together, paths as they are written. */
  readonly config: Kubeconfig;
  /** Those that are there, the first the one that counts most. */
  readonly files: readonly KubeconfigFile[];
}

export interface KubeconfigFile {
  readonly path: string;
  readonly config: Kubeconfig;
}

/** The files that are read, the first the one that counts most. */
export function kubeconfigPaths({ path, env = process.env, home }: KubeconfigPlaces): string[] {
  if (path) return [path];
  const listed = [...new Set((env.KUBECONFIG ?? "").split(delimiter))].filter((one) => one !== "");
  if (listed.length > 0) return listed;
  return [join(home ?? (env.HOME || homedir()), ".kube", "config")];
}

/** Reads the kubeconfigs of these places. Files that are missing are skipped, but for one that was named. */
export async function loadKubeconfig(places: KubeconfigPlaces = {}): Promise<LoadedKubeconfig> {
  if (places.path) await mustExist(places.path);
  const files: KubeconfigFile[] = [];
  const faults: string[] = [];
  for (const path of kubeconfigPaths(places)) {
    try {
      const config = await readKubeconfig(path);
      if (config) files.push({ path, config });
    } catch (cause) {
      faults.push(`error loading config file "${path}": ${(cause as Error).message}`);
    }
  }
  if (faults.length > 0) throw new KubeconfigError(faultList(faults));
  return { config: mergeKubeconfigs(files.map(({ config }) => config)), files };
}

/** Reads one file; undefined where there is none. */
async function readKubeconfig(path: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new KubeconfigError(fileFault("open", path, cause), { cause });
  }
  return parseKubeconfig(text);
}

/** What the files say together, with paths as seen from where each file is. */
export function resolvedKubeconfig({ config, files }: LoadedKubeconfig): Kubeconfig {
  const folder = (section: Section, name: string): string | undefined => {
    const file = files.find((one) => entriesOf(one.config, section).has(name));
    return file && resolve(dirname(file.path));
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

async function mustExist(path: string): Promise<void> {
  try {
    await stat(path);
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
  // A program without a folder is looked up in PATH.
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
