import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import type { ConnectedPod, PodNetwork } from "../../cri/pod-network.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { PodSandboxConfig } from "../../cri/runtime-types.ts";
import { replacePrivateFile, unlessFull, writePrivateFile } from "../../platform/files.ts";
import type { IdMappings } from "../containers/container-settings.ts";
import { killProcesses, processesWith } from "../kill-processes.ts";
import type { MappedUsers } from "../snapshots/mapped-users.ts";
import { mountPoints } from "../snapshots/overlay-mount.ts";
import { createNamespaces, type PodNamespaces, removeNamespaces } from "./pod-namespaces.ts";
import { resolvConf } from "./resolv-conf.ts";

export interface EngineSandboxesOptions {
  /** The folder of the sandboxes' records, which survives a reboot. */
  readonly folder: string;
  /** A folder that does not survive a reboot. */
  readonly runFolder: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is written of a sandbox before anything of it is created. */
interface SandboxRecord {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** The users of the pod, if they are not the node's. */
  readonly users?: IdMappings | undefined;
  readonly createdAt: number;
}

interface SandboxState {
  /** `creating` and `removing` are written before the work begins, so that a kill is noticed. */
  readonly state: "creating" | "ready" | "notReady" | "removing";
  readonly namespaces: PodNamespaces;
  readonly ips: readonly string[];
  /** Whether its network and its namespaces are gone. */
  readonly isReleased: boolean;
}

/** A sandbox as it is now. */
export interface Sandbox extends SandboxRecord, SandboxState {}

/** The users of a sandbox in the user namespace that it has; undefined if they are the node's. */
export function mappedUsers({ users, namespaces }: Sandbox): MappedUsers | undefined {
  const { user: path } = namespaces;
  return users && path !== undefined ? { path, ...users } : undefined;
}

/** A change of a sandbox: it is `stopped` when it is not ready any more. */
export interface SandboxChange {
  readonly type: "created" | "started" | "stopped" | "deleted";
  readonly sandbox: Sandbox;
  readonly at: number;
}

/** Opens the sandboxes of an engine. */
export async function openSandboxes(options: EngineSandboxesOptions): Promise<EngineSandboxes> {
  const sandboxes = new EngineSandboxes(options);
  await sandboxes.open();
  return sandboxes;
}

/** Pods' sandboxes: namespaces without a process, a network, and the files that containers share. */
export class EngineSandboxes {
  readonly #options: EngineSandboxesOptions;
  readonly #sandboxes = new Map<string, Sandbox>();
  /** Those that could not be read: what they hold is not known. */
  readonly #damaged = new Set<string>();
  readonly #lock = new KeyedLock();
  readonly #listeners = new Set<(change: SandboxChange) => void>();

  constructor(options: EngineSandboxesOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mounts = new Set(mountPoints(await readFile("/proc/self/mountinfo", "utf8")));
    const ids = (await readdir(folder)).filter((name) => /^[0-9a-f]+$/.test(name));
    await Promise.all(ids.map((id) => this.#takeOver(id, mounts)));
    await this.#takeOverNetwork();
  }

  async close(): Promise<void> {
    await this.#lock.idle();
  }

  /** Creates a sandbox; resolves with its ID when its network is there. */
  async run(config: PodSandboxConfig, users?: IdMappings): Promise<string> {
    const name = sandboxName(config);
    for (const other of this.#sandboxes.values())
      if (sandboxName(other.config) === name)
        throw new RuntimeError(
          "Unknown",
          `failed to reserve sandbox name ${JSON.stringify(name)}: name ${JSON.stringify(name)} is reserved for ${JSON.stringify(other.id)}`,
        );
    const id = randomBytes(32).toString("hex");
    const createdAt = this.#options.clock.now();
    const record = { id, config, users, createdAt };
    const draft: Sandbox = { ...record, ...noState, state: "creating" };
    this.#sandboxes.set(id, draft);
    await this.#lock.run(id, async () => {
      try {
        await this.#create(draft);
      } catch (error) {
        await this.#release(draft).catch(() => {});
        await this.#delete(id);
        throw error;
      }
    });
    this.#notify("created", id);
    this.#notify("started", id);
    return id;
  }

  /** Releases the network and the namespaces of a sandbox. Its containers must have ended. */
  async stop(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const sandbox = this.#sandboxes.get(id);
      if (!sandbox || sandbox.state === "removing") return;
      await this.#release(sandbox);
      const stopped: Sandbox = { ...sandbox, state: "notReady", isReleased: true };
      await unlessFull(this.#write(stopped));
      this.#sandboxes.set(id, stopped);
      if (sandbox.state !== "notReady") this.#notify("stopped", id);
    });
  }

  async remove(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const sandbox = this.#sandboxes.get(id);
      if (!sandbox) return;
      await unlessFull(this.#write({ ...sandbox, state: "removing" }));
      await this.#release(sandbox);
      this.#notify("deleted", id);
      await this.#delete(id);
    });
  }

  /** A sandbox that is ready or was; undefined for others. */
  get(id: string): Sandbox | undefined {
    const sandbox = this.#sandboxes.get(id);
    return sandbox && isVisible(sandbox) ? sandbox : undefined;
  }

  list(): readonly Sandbox[] {
    return [...this.#sandboxes.values()].filter(isVisible);
  }

  /** The folder of the files that the containers of a sandbox share. */
  filesOf(id: string): SandboxFiles {
    return sandboxFiles(join(this.#options.folder, id));
  }

  onChange(listener: (change: SandboxChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads a sandbox back; one that cannot be read does not keep the others from it. */
  async #takeOver(id: string, mounts: ReadonlySet<string>): Promise<void> {
    try {
      await this.#load(id, mounts);
    } catch (error) {
      const path = join(this.#options.folder, id);
      this.#damaged.add(id);
      this.#options.log.error("taking over a sandbox failed", error, { id, path });
    }
  }

  /** Tells the network which pods there are. Without that pods run, too. */
  async #takeOverNetwork(): Promise<void> {
    const pods = [...this.#sandboxes.values()].flatMap((sandbox): readonly ConnectedPod[] => {
      const { id: sandboxId, config, namespaces, ips, isReleased } = sandbox;
      const { network: namespace } = namespaces;
      return namespace === undefined || isReleased ? [] : [{ sandboxId, namespace, config, ips }];
    });
    try {
      await this.#options.network.takeOver?.(pods, [...this.#damaged]);
    } catch (error) {
      this.#options.log.error("taking over the network of pods failed", error);
    }
  }

  /** Reads a sandbox back, and finishes what a kill interrupted. */
  async #load(id: string, mounts: ReadonlySet<string>): Promise<void> {
    const folder = join(this.#options.folder, id);
    const record = await readJson<SandboxRecord>(join(folder, recordFile));
    if (!record) {
      await this.#endCreation(id);
      await removeNamespaces(this.#namespaceFolder(id), this.filesOf(id).sharedMemory);
      return this.#delete(id);
    }
    // A record without a state, or with half of one, is what a power failure may leave.
    const state =
      (await readJson<SandboxState>(join(folder, stateFile)).catch(() => undefined)) ?? noState;
    const sandbox = { ...record, ...state };
    this.#sandboxes.set(id, sandbox);
    if (!isVisible(sandbox)) {
      await this.#endCreation(id);
      await this.#release(sandbox);
      return this.#delete(id);
    }
    const paths = Object.values(sandbox.namespaces).filter((path) => path !== undefined);
    // A sandbox without namespaces has an empty folder, which a reboot removes, too.
    const isThere =
      existsSync(this.#namespaceFolder(id)) && paths.every((path) => mounts.has(path));
    if (sandbox.state === "ready" && !isThere) await this.#write({ ...sandbox, state: "notReady" });
  }

  /** Ends children of a killed engine that may still be at work on a sandbox. */
  async #endCreation(id: string): Promise<void> {
    const { sharedMemory } = this.filesOf(id);
    await killProcesses(() => processesWith("cmdline", sharedMemory));
    await killProcesses(() => processesWith("cmdline", join(this.#namespaceFolder(id), "net")));
    await killProcesses(() => processesWith("environ", `CNI_CONTAINERID=${id}`));
  }

  async #create(draft: Sandbox): Promise<void> {
    const { id, config, users, createdAt } = draft;
    const folder = join(this.#options.folder, id);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await this.#write(draft);
    const record: SandboxRecord = { id, config, users, createdAt };
    // The record is synced while the rest is made.
    const [, namespaces] = await Promise.all([
      writePrivateFile(join(folder, recordFile), JSON.stringify(record)),
      this.#createNamespaces(draft),
      this.#writeFiles(draft),
    ]);
    const ips = await this.#connect(draft, namespaces);
    await this.#write({ ...draft, state: "ready", namespaces, ips });
  }

  async #createNamespaces({ id, config, users }: Sandbox): Promise<PodNamespaces> {
    const { hostname, hostNetwork, sysctls = {} } = config;
    const hostIpc = config.security?.namespaces?.ipc === "node";
    return createNamespaces(this.#namespaceFolder(id), {
      ...{ hostname, hostNetwork, hostIpc, sysctls, users },
      sharedMemory: this.filesOf(id).sharedMemory,
    });
  }

  async #writeFiles({ id, config }: Sandbox): Promise<void> {
    const files = this.filesOf(id);
    const mode = 0o644;
    await writeFile(files.hostname, `${config.hostname}\n`, { mode });
    await writeFile(files.hosts, await readFile("/etc/hosts", "utf8").catch(() => ""), { mode });
    await writeFile(files.resolvConf, await resolvConf(config.dns), { mode });
  }

  /** Gives a pod its network; resolves with its addresses. */
  async #connect({ id, config }: Sandbox, { network }: PodNamespaces): Promise<readonly string[]> {
    if (network === undefined) return [];
    try {
      return await this.#options.network.add({ sandboxId: id, namespace: network, config });
    } catch (error) {
      throw new RuntimeError(
        "Unknown",
        `failed to setup network for sandbox ${JSON.stringify(id)}: ${errorMessage(error)}`,
      );
    }
  }

  /** Releases what a sandbox holds; what is released already is not an error. */
  async #release({ id, config, namespaces, isReleased }: Sandbox): Promise<void> {
    if (isReleased) return;
    const namespace = namespaces.network ?? join(this.#namespaceFolder(id), "net");
    if (!config.hostNetwork)
      await this.#options.network.remove({ sandboxId: id, namespace, config });
    await removeNamespaces(this.#namespaceFolder(id), this.filesOf(id).sharedMemory);
  }

  async #delete(id: string): Promise<void> {
    await rm(join(this.#options.folder, id), { recursive: true, force: true });
    this.#sandboxes.delete(id);
  }

  /** Replaces the state. It survives a kill, and need not survive a power failure: nothing runs then. */
  async #write(sandbox: Sandbox): Promise<void> {
    const { id, state, namespaces, ips, isReleased } = sandbox;
    const text = JSON.stringify({ state, namespaces, ips, isReleased } satisfies SandboxState);
    await replacePrivateFile(join(this.#options.folder, id, stateFile), text);
    this.#sandboxes.set(id, sandbox);
  }

  #namespaceFolder(id: string): string {
    return join(this.#options.runFolder, "ns", id);
  }

  #notify(type: SandboxChange["type"], id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    for (const listener of [...this.#listeners])
      listener({ type, sandbox, at: this.#options.clock.now() });
  }
}

const recordFile = "sandbox.json";
const stateFile = "state.json";
const noState: SandboxState = { state: "notReady", namespaces: {}, ips: [], isReleased: false };

/** Undefined if there is no such file; rejects if it cannot be read. */
async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`cannot read ${path}`, { cause: error });
  }
}

const isVisible = ({ state }: Sandbox): boolean => state === "ready" || state === "notReady";

/** The name of a sandbox, which no other may have at the same time. */
const sandboxName = ({ metadata: { name, namespace, uid, attempt } }: PodSandboxConfig): string =>
  [name, namespace, uid, attempt].join("_");

/** The files of a sandbox that its containers see. */
export interface SandboxFiles {
  readonly hostname: string;
  readonly hosts: string;
  readonly resolvConf: string;
  /** The folder of `/dev/shm`. */
  readonly sharedMemory: string;
}

const sandboxFiles = (folder: string): SandboxFiles => ({
  hostname: join(folder, "hostname"),
  hosts: join(folder, "hosts"),
  resolvConf: join(folder, "resolv.conf"),
  sharedMemory: join(folder, "shm"),
});
