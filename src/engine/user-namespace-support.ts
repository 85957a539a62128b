import { randomUUID } from "node:crypto";
import { readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorMessage } from "../base/error-message.ts";
import type { Log } from "../base/log.ts";
import { runChild } from "../platform/run-child.ts";
import { killProcesses, processesWith } from "./kill-processes.ts";
import { findProgram } from "./programs.ts";
import { createNamespaces, removeNamespaces } from "./sandboxes/pod-namespaces.ts";
import type { Snapshots } from "./snapshots/snapshots.ts";

interface UserNamespaceSupportOptions {
  readonly snapshots: Snapshots;
  /** The folder in which containers have their roots. */
  readonly runDir: string;
  readonly log: Log;
}

/** Removes what attempts have left that were interrupted by a kill. */
export async function removeProbes(runDir: string): Promise<void> {
  const folder = join(runDir, probes);
  for (const name of await readdir(folder).catch(() => [])) {
    const left = join(folder, name);
    await killProcesses(() => processesWith("cmdline", left));
    await removeNamespaces(left, sharedMemoryOf(left));
  }
}

const probes = "probes";
const sharedMemoryOf = (folder: string): string => join(folder, "shm");

/** Finds out whether this machine can give pods users of their own. */
export class UserNamespaceSupport {
  readonly #options: UserNamespaceSupportOptions;
  readonly #problems = new Map<string, Promise<string | undefined>>();
  #ofMachine: Promise<string | undefined> | undefined;

  constructor(options: UserNamespaceSupportOptions) {
    this.#options = options;
  }

  /** What is missing for it with an OCI runtime, in one line; undefined if nothing is. It is found out once. */
  problem(ociProgram: string): Promise<string | undefined> {
    const found = this.#problems.get(ociProgram) ?? this.#problemOf(ociProgram);
    this.#problems.set(ociProgram, found);
    return found;
  }

  async #problemOf(ociProgram: string): Promise<string | undefined> {
    const { code, stdout } = await runChild(ociProgram, ["features"]);
    const ofRuntime = ociRuntimeProblem(ociProgram, code === 0 ? stdout : "");
    if (ofRuntime === undefined) this.#ofMachine ??= this.#machineProblem();
    const problem = ofRuntime ?? (await this.#ofMachine);
    if (problem !== undefined)
      this.#options.log.info("pods cannot have user namespaces", { problem });
    return problem;
  }

  async #machineProblem(): Promise<string | undefined> {
    const { runDir } = this.#options;
    try {
      await findProgram("perl");
      return (await unreachable(runDir)) ?? (await this.#try());
    } catch (error) {
      return errorMessage(error);
    }
  }

  /** Mounts a file system as that of a container with users of its own. */
  async #try(): Promise<string | undefined> {
    const { snapshots, runDir } = this.#options;
    const id = `probe-${randomUUID()}`;
    const folder = join(runDir, probes, id);
    const sharedMemory = sharedMemoryOf(folder);
    const mappings = [{ containerID: 0, hostID: 65536, size: 65536 }];
    const mapped = { uidMappings: mappings, gidMappings: mappings };
    try {
      const { user = "" } = await createNamespaces(folder, {
        ...{ hostname: "probe", hostNetwork: false, hostIpc: false, sysctls: {} },
        ...{ sharedMemory, users: mapped },
      });
      const users = { path: user, ...mapped };
      await snapshots.create(id, [], users);
      const root = await snapshots.mount(id, users);
      await writeFile(join(root, "file"), "");
      return undefined;
    } catch (error) {
      return `the kernel or the file system of ${snapshots.folder} cannot map IDs (Linux 5.19 can, on ext4, xfs or btrfs): ${errorMessage(error)}`;
    } finally {
      await snapshots.remove(id);
      await removeNamespaces(folder, sharedMemory);
    }
  }
}

/** What an OCI runtime lacks, by the output of its command `features`. */
export function ociRuntimeProblem(program: string, features: string): string | undefined {
  const { namespaces = [], mountExtensions } = parsed(features).linux ?? {};
  const lacks = namespaces.includes("user")
    ? mountExtensions?.idmap?.enabled
      ? undefined
      : "cannot map IDs of mounts"
    : "has no user namespaces";
  return lacks && `${program} ${lacks}: install runc 1.2 or later`;
}

interface OciFeatures {
  readonly linux?: {
    readonly namespaces?: readonly string[];
    readonly mountExtensions?: { readonly idmap?: { readonly enabled?: boolean } };
  };
}

function parsed(text: string): OciFeatures {
  try {
    return (JSON.parse(text) as OciFeatures | null) ?? {};
  } catch {
    return {};
  }
}

/** The first folder on the way to a path that not everyone may pass: the root of a container is nobody on the node. */
async function unreachable(path: string): Promise<string | undefined> {
  const parent = dirname(path);
  const above = parent === path ? undefined : await unreachable(parent);
  if (above !== undefined) return above;
  const { mode } = await stat(path);
  return (mode & 0o001) !== 0 ? undefined : `${path} can be passed by its owner only (chmod o+x)`;
}
