import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";
import type { PodSandboxConfig } from "../../cri/runtime-types.ts";
import { writePrivateFile } from "../../platform/files.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import type { PodNetwork } from "../network/pod-network.ts";
import { createNamespaces, type PodNamespaces, removeNamespaces } from "./pod-namespaces.ts";
import { resolvConf } from "./resolv-conf.ts";

export interface EngineSandboxesOptions {
  /** The folder of the sandboxes' records, which survives a reboot. */
  readonly folder: string;
  /** A folder that does not survive a reboot. */
  readonly runFolder: string;
  readonly network: PodNetwork;
  readonly clock: Clock;
}

/** A sandbox as it is on disk. */
export interface Sandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly createdAt: number;
  /** `creating` and `removing` are written before the work begins, so that a kill is noticed. */
  readonly state: "creating" | "ready" | "notReady" | "removing";
  readonly namespaces: PodNamespaces;
  readonly ips: readonly string[];
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
  readonly #lock = new KeyedLock();
  readonly #listeners = new Set<(change: SandboxChange) => void>();

  constructor(options: EngineSandboxesOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { folder } = this.#options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const mounts = await readFile("/proc/self/mountinfo", "utf8");
    await Promise.all((await readdir(folder)).map((id) => this.#load(id, mounts)));
  }

  async close(): Promise<void> {
    await this.#lock.idle();
  }

  /** Creates a sandbox; resolves with its ID when its network is there. */
  async run(config: PodSandboxConfig): Promise<string> {
    const name = sandboxName(config);
    for (const other of this.#sandboxes.values())
      if (sandboxName(other.config) === name)
        throw new RuntimeError(
          "Unknown",
          `failed to reserve sandbox name ${JSON.stringify(name)}: name ${JSON.stringify(name)} is reserved for ${JSON.stringify(other.id)}`,
        );
    const id = randomBytes(32).toString("hex");
    const createdAt = this.#options.clock.now();
    const draft: Sandbox = { id, config, createdAt, state: "creating", namespaces: {}, ips: [] };
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
      if (sandbox.state === "notReady") return;
      await this.#write({ ...sandbox, state: "notReady" });
      this.#notify("stopped", id);
    });
  }

  async remove(id: string): Promise<void> {
    await this.#lock.run(id, async () => {
      const sandbox = this.#sandboxes.get(id);
      if (!sandbox) return;
      await this.#write({ ...sandbox, state: "removing" });
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

  /** Reads a sandbox back, and finishes what a kill interrupted. */
  async #load(id: string, mounts: string): Promise<void> {
    const folder = join(this.#options.folder, id);
    const text = await readFile(join(folder, recordFile), "utf8").catch(() => undefined);
    if (text === undefined) return rm(folder, { recursive: true, force: true });
    const sandbox = JSON.parse(text) as Sandbox;
    this.#sandboxes.set(id, sandbox);
    if (!isVisible(sandbox)) {
      await this.#release(sandbox);
      return this.#delete(id);
    }
    const paths = Object.values(sandbox.namespaces).filter((path) => path !== undefined);
    const isThere = paths.every((path) => mounts.includes(` ${path} `));
    if (sandbox.state === "ready" && !isThere) await this.#write({ ...sandbox, state: "notReady" });
  }

  async #create(draft: Sandbox): Promise<void> {
    const { id, config } = draft;
    const { network: podNetwork, folder } = this.#options;
    await mkdir(join(folder, id), { recursive: true, mode: 0o700 });
    await this.#write(draft);
    const files = this.filesOf(id);
    const hostIpc = config.security?.namespaces?.ipc === "node";
    await writeFile(files.hostname, `${config.hostname}\n`, { mode: 0o644 });
    await writeFile(files.hosts, await readFile("/etc/hosts", "utf8").catch(() => ""), {
      mode: 0o644,
    });
    await writeFile(files.resolvConf, await resolvConf(config.dns), { mode: 0o644 });
    const [namespaces] = await Promise.all([
      createNamespaces(this.#namespaceFolder(id), {
        hostname: config.hostname,
        hostNetwork: config.hostNetwork,
        hostIpc,
        sysctls: config.sysctls ?? {},
      }),
      hostIpc ? undefined : mountSharedMemory(files.sharedMemory),
    ]);
    await this.#write({ ...draft, namespaces });
    const ips = namespaces.network
      ? await podNetwork
          .add({ sandboxId: id, namespace: namespaces.network, config })
          .catch((error) => {
            throw new RuntimeError(
              "Unknown",
              `failed to setup network for sandbox ${JSON.stringify(id)}: ${errorMessage(error)}`,
            );
          })
      : [];
    await this.#write({ ...draft, state: "ready", namespaces, ips });
  }

  /** Releases what a sandbox holds; what is released already is not an error. */
  async #release({ id, config, namespaces }: Sandbox): Promise<void> {
    const namespace = namespaces.network ?? join(this.#namespaceFolder(id), "net");
    if (!config.hostNetwork)
      await this.#options.network.remove({ sandboxId: id, namespace, config });
    await removeNamespaces(this.#namespaceFolder(id));
    await runChild("umount", ["--lazy", this.filesOf(id).sharedMemory]);
  }

  async #delete(id: string): Promise<void> {
    await rm(join(this.#options.folder, id), { recursive: true, force: true });
    this.#sandboxes.delete(id);
  }

  async #write(sandbox: Sandbox): Promise<void> {
    const path = join(this.#options.folder, sandbox.id, recordFile);
    await writePrivateFile(path, JSON.stringify(sandbox));
    this.#sandboxes.set(sandbox.id, sandbox);
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

async function mountSharedMemory(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const options = "nosuid,noexec,nodev,mode=1777,size=65536k";
  await mustRun("mount", ["-t", "tmpfs", "-o", options, "shm", folder]);
}
