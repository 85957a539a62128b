import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { hasLabels } from "../../cri/has-labels.ts";
import { readLog } from "../../cri/read-log.ts";
import {
  RuntimeError,
  type RuntimeService,
  type RuntimeVersion,
} from "../../cri/runtime-service.ts";
import type { RuntimeConfig, RuntimeStatus } from "../../cri/runtime-status.ts";
import type {
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerResources,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxStatus,
  StatusOptions,
} from "../../cri/runtime-types.ts";
import type {
  ContainerStats,
  ContainerStatsFilter,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
  PodSandboxStatsFilter,
} from "../../cri/stats-types.ts";
import {
  type ExecResult,
  type ForwardSession,
  type LogOptions,
  type LogPiece,
  mostExecBytes,
  type StreamSession,
  type StreamTarget,
} from "../../cri/streams.ts";
import { logFile } from "../../platform/log-file.ts";
import type { Container } from "../containers/containers.ts";
import type { CdiSources } from "../containers/oci/cdi-devices.ts";
import { knownSignal } from "../containers/signal-number.ts";
import type { EngineParts } from "../engine-parts.ts";
import { mappedUsers, type Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { ByteCollector } from "./byte-collector.ts";
import { type CriContainerDetails, criDetails } from "./container-details.ts";
import {
  containerSettings,
  hasRecursiveReadOnly,
  resourceUpdate,
} from "./container-settings-of.ts";
import { containerInfo, containerStatus, sandboxInfo, sandboxStatus } from "./container-status.ts";
import { criState, EngineLookup } from "./engine-lookup.ts";
import { metricDescriptors, podMetrics } from "./engine-metrics.ts";
import { EngineStats } from "./engine-stats.ts";
import { imageSnapshots } from "./image-mounts.ts";
import { holderIn, startHolder } from "./pid-holder.ts";
import { forwardPort } from "./port-forward.ts";
import { checkUsers, usersOf } from "./translate/users-of.ts";

/** The handlers of the engine's usual OCI runtime. */
const ownHandlers: ReadonlySet<string> = new Set(["", "runc"]);

export interface EngineRuntimeOptions extends EngineParts, Pick<CdiSources, "readYaml"> {
  readonly clock: Clock;
  readonly version: string;
}

/** The engine as a container runtime of CRI. */
export class EngineRuntime implements RuntimeService {
  readonly #options: EngineRuntimeOptions;
  readonly #stats: EngineStats;
  readonly #lookup: EngineLookup;

  constructor(options: EngineRuntimeOptions) {
    this.#options = options;
    this.#stats = new EngineStats(options);
    this.#lookup = new EngineLookup(options);
    options.containers.onChange(({ type, container }) => {
      if (type === "deleted") this.#stats.forget(container.id);
    });
    options.sandboxes.onChange(({ type, sandbox }) => {
      if (type === "deleted") this.#stats.forget(sandbox.id);
    });
  }

  async version(): Promise<RuntimeVersion> {
    return { runtimeName: "wherry", runtimeVersion: this.#options.version };
  }

  async status({ verbose = false }: StatusOptions = {}): Promise<RuntimeStatus> {
    const problem = await this.#options.network.problem();
    return {
      conditions: [
        { type: "RuntimeReady", isTrue: true, reason: "", message: "" },
        problem === undefined
          ? { type: "NetworkReady", isTrue: true, reason: "", message: "" }
          : {
              type: "NetworkReady",
              isTrue: false,
              reason: "NetworkPluginNotReady",
              message: `Network plugin returns error: ${problem}`,
            },
      ],
      handlers: await Promise.all(
        [...ownHandlers, ...this.#options.ociPrograms.keys()].map(async (name) => ({
          name,
          recursiveReadOnlyMounts: hasRecursiveReadOnly(),
          userNamespaces: (await this.#userNamespaceProblem(name)) === undefined,
        })),
      ),
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
      ...(verbose && { info: { config: JSON.stringify(await this.#settings()) } }),
    };
  }

  async runtimeConfig(): Promise<RuntimeConfig> {
    return { cgroupDriver: this.#options.runtime.cgroupManager };
  }

  async updateRuntimeConfig({ podCidr }: { readonly podCidr: string }): Promise<void> {
    this.#options.network.setRange?.(podCidr);
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const { runtimeHandler = "" } = config;
    if (!ownHandlers.has(runtimeHandler) && !this.#options.ociPrograms.has(runtimeHandler))
      throw new RuntimeError(
        "Unknown",
        `failed to get sandbox runtime: no runtime for ${JSON.stringify(runtimeHandler)} is configured`,
      );
    const { sandboxes } = this.#options;
    const users = usersOf(config);
    const problem = users && (await this.#userNamespaceProblem(runtimeHandler));
    if (problem !== undefined)
      throw new RuntimeError("Unknown", `user namespaces are not supported: ${problem}`);
    const id = await sandboxes.run(config, users);
    if (config.security?.namespaces?.pid !== "pod") return id;
    try {
      await startHolder(id, this.#options);
    } catch (error) {
      await this.#options.containers.remove(id);
      await sandboxes.stop(id);
      await sandboxes.remove(id);
      throw error;
    }
    return id;
  }

  async stopPodSandbox(given: string): Promise<void> {
    const { containers, sandboxes } = this.#options;
    const id = this.#lookup.findSandbox(given)?.id;
    if (id === undefined) return;
    const kill = { signal: "SIGKILL", timeoutMs: 0 };
    await Promise.all(this.#lookup.containersIn(id).map((one) => containers.stop(one.id, kill)));
    if (holderIn(id, containers)) await containers.remove(id);
    await sandboxes.stop(id);
  }

  async removePodSandbox(given: string): Promise<void> {
    const id = this.#lookup.findSandbox(given)?.id;
    if (id === undefined) return;
    await this.stopPodSandbox(id);
    await Promise.all(this.#lookup.containersIn(id).map((one) => this.removeContainer(one.id)));
    await this.#options.sandboxes.remove(id);
  }

  async podSandboxStatus(
    id: string,
    { verbose = false }: StatusOptions = {},
  ): Promise<PodSandboxStatus> {
    const sandbox = this.#lookup.sandbox(id);
    return { ...this.#sandboxStatus(sandbox), ...(verbose && { info: sandboxInfo(sandbox) }) };
  }

  async listPodSandboxes(filter: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    const { id, podUid, state, labels } = filter;
    return this.#options.sandboxes
      .list()
      .map((sandbox) => this.#sandboxStatus(sandbox))
      .filter(
        (one) =>
          (id === undefined || one.id.startsWith(id)) &&
          (podUid === undefined || one.metadata.uid === podUid) &&
          (state === undefined || one.state === state) &&
          hasLabels(one.labels, labels),
      )
      .sort(newestFirst);
  }

  /** A sandbox is of no use without the process that holds its namespace, which a kill may have kept from starting. */
  #sandboxStatus(sandbox: Sandbox): PodSandboxStatus {
    const status = sandboxStatus(sandbox);
    if (sandbox.config.security?.namespaces?.pid !== "pod") return status;
    const holder = holderIn(sandbox.id, this.#options.containers);
    return holder?.state.phase === "running" ? status : { ...status, state: "notReady" };
  }

  /** The limits of the pod's cgroup are the kubelet's: it has set them already. */
  async updatePodSandboxResources(id: string): Promise<void> {
    this.#lookup.sandbox(id);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#lookup.sandbox(sandboxId);
    if (sandbox.state !== "ready")
      throw new RuntimeError(
        "Unknown",
        `failed to get sandbox container task: sandbox ${JSON.stringify(sandbox.id)} is not running`,
      );
    return this.#lookup.reserving(sandbox, config, () => this.#create(sandbox, config));
  }

  async #create(sandbox: Sandbox, config: ContainerConfig): Promise<string> {
    const image = this.#options.images.store.resolve(config.image);
    if (!image)
      throw new RuntimeError(
        "NotFound",
        `failed to resolve image ${JSON.stringify(config.image)}: not found`,
      );
    const { config: pod } = sandbox;
    checkUsers(pod.security?.namespaces?.user, config.security?.namespaces?.user);
    const id = randomBytes(32).toString("hex");
    const details: CriContainerDetails = {
      sandboxId: sandbox.id,
      podUid: sandbox.config.metadata.uid,
      config,
      image: image.tags[0] ?? config.image,
      imageRef: image.digests[0] ?? image.id,
      imageId: image.id,
      stopSignal: config.stopSignal || knownSignal(image.config.config?.StopSignal) || "SIGTERM",
    };
    const { logDirectory } = sandbox.config;
    await this.#options.containers.create({
      id,
      owner: "cri",
      layers: image.layers,
      snapshots: [...imageSnapshots(id, config.mounts ?? []).values()],
      users: mappedUsers(sandbox),
      settings: (rootfs) =>
        containerSettings({ id, config, sandbox, image, rootfs }, this.#options),
      ociProgram: this.#options.ociPrograms.get(sandbox.config.runtimeHandler ?? ""),
      logPath: logDirectory && config.logPath ? `${logDirectory}/${config.logPath}` : undefined,
      stdin: config.stdin,
      stdinOnce: config.stdinOnce,
      details,
    });
    return id;
  }

  async startContainer(given: string): Promise<void> {
    const { id, state } = this.#lookup.container(given);
    if (state.phase !== "created")
      throw new RuntimeError(
        "Unknown",
        `container ${JSON.stringify(id)} is in ${criState(state.phase)} state`,
      );
    await this.#options.containers.start(id);
  }

  async stopContainer(given: string, timeoutSeconds: number): Promise<void> {
    const found = this.#lookup.findContainer(given);
    if (!found) return;
    const signal = criDetails(found)?.stopSignal ?? "SIGTERM";
    await this.#options.containers.stop(found.id, { signal, timeoutMs: timeoutSeconds * 1000 });
  }

  async removeContainer(given: string): Promise<void> {
    const found = this.#lookup.findContainer(given);
    if (found) await this.#options.containers.remove(found.id);
  }

  async containerStatus(
    id: string,
    { verbose = false }: StatusOptions = {},
  ): Promise<ContainerStatus> {
    const container = this.#lookup.container(id);
    return { ...statusOf(container), ...(verbose && { info: containerInfo(container) }) };
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    const { id, sandboxId, podUid, state, labels } = filter;
    return this.#lookup
      .containers()
      .map(statusOf)
      .filter(
        (one) =>
          (id === undefined || one.id.startsWith(id)) &&
          (sandboxId === undefined || one.sandboxId.startsWith(sandboxId)) &&
          (podUid === undefined || one.podUid === podUid) &&
          (state === undefined || one.state === state) &&
          hasLabels(one.labels, labels),
      )
      .sort(newestFirst);
  }

  async updateContainerResources(given: string, resources: ContainerResources): Promise<void> {
    const { id } = this.#lookup.container(given);
    // Simultaneous updates of different limits do not undo each other: the others are read when it is its turn.
    await this.#options.containers.update(id, resourceUpdate(resources));
  }

  async checkpointContainer(): Promise<void> {
    throw new RuntimeError("Unimplemented", "checkpointing of containers is not supported");
  }

  async containerStats(id: string): Promise<ContainerStats> {
    return this.#stats.ofContainer(this.#lookup.container(id));
  }

  async listContainerStats(filter: ContainerStatsFilter = {}): Promise<readonly ContainerStats[]> {
    const { id, sandboxId, labels } = filter;
    const running = this.#lookup.containers().filter((one) => {
      const details = criDetails(one);
      return (
        one.state.phase === "running" &&
        (id === undefined || one.id.startsWith(id)) &&
        (sandboxId === undefined || details?.sandboxId === sandboxId) &&
        hasLabels(details?.config.labels ?? {}, labels)
      );
    });
    return known(running.map((one) => this.#stats.ofContainer(one)));
  }

  async podSandboxStats(id: string): Promise<PodSandboxStats> {
    const sandbox = this.#lookup.sandbox(id);
    const containers = await this.listContainerStats({ sandboxId: sandbox.id });
    const [first] = this.#lookup
      .containersIn(sandbox.id)
      .flatMap(({ state }) => (state.phase === "running" ? [state.pid] : []));
    return this.#stats.ofPod(sandbox, containers, first);
  }

  async listPodSandboxStats(
    filter: PodSandboxStatsFilter = {},
  ): Promise<readonly PodSandboxStats[]> {
    const listed = await this.listPodSandboxes({ ...filter, state: "ready" });
    return known(listed.map(({ id }) => this.podSandboxStats(id)));
  }

  async listMetricDescriptors(): Promise<readonly MetricDescriptor[]> {
    return metricDescriptors;
  }

  async listPodSandboxMetrics(): Promise<readonly PodSandboxMetrics[]> {
    const ready = this.#options.sandboxes.list().filter(({ state }) => state === "ready");
    return Promise.all(
      ready.map((one) => podMetrics(one, this.#lookup.containersIn(one.id), this.#options)),
    );
  }

  async execSync(
    id: string,
    command: readonly string[],
    timeoutSeconds: number,
  ): Promise<ExecResult> {
    const stdout = new ByteCollector(mostExecBytes);
    const stderr = new ByteCollector(mostExecBytes);
    const exitCode = await this.#options.containers.exec(
      this.#lookup.running(id),
      { args: command, tty: false, timeoutMs: timeoutSeconds * 1000 },
      { stdout: stdout.write, stderr: stderr.write, signal: new AbortController().signal },
    );
    return { stdout: stdout.bytes(), stderr: stderr.bytes(), exitCode };
  }

  async exec(
    { containerId, command = [], tty }: StreamTarget,
    session: StreamSession,
  ): Promise<number> {
    return this.#options.containers.exec(
      this.#lookup.running(containerId),
      { args: command, tty },
      session,
    );
  }

  async attach({ containerId }: StreamTarget, session: StreamSession): Promise<number> {
    const id = this.#lookup.running(containerId);
    const { containers } = this.#options;
    void resizeAll(session.resize, (size) => containers.resize(id, size));
    const container = containers.get(id);
    // As containerd has it: otherwise the client would wait for a container that nobody tells to end.
    const leavesWithInput = !container?.stdinOnce || container.settings.tty;
    await containers.attach(id, session, { leavesWithInput });
    const state = containers.get(id)?.state;
    return state?.phase === "exited" ? state.exitCode : 0;
  }

  async portForward(sandboxId: string, port: number, session: ForwardSession): Promise<void> {
    const { id, state, namespaces } = this.#lookup.sandbox(sandboxId);
    if (state !== "ready")
      throw new RuntimeError("Unknown", `sandbox container ${JSON.stringify(id)} is not running`);
    await forwardPort(namespaces.network, port, session);
  }

  async *logs(given: string, options: LogOptions): AsyncIterable<LogPiece> {
    const { id, logPath } = this.#lookup.container(given);
    const ended = new AbortController();
    const over = (): void => ended.abort();
    if (options.follow) void this.#options.containers.wait(id, options.signal).then(over, over);
    yield* readLog(logFile(logPath), options, ended.signal);
  }

  async reopenContainerLog(id: string): Promise<void> {
    await this.#options.containers.reopenLog(this.#lookup.running(id));
  }

  containerEvents(listener: (event: ContainerEvent) => void): () => void {
    const { containers, sandboxes } = this.#options;
    const stop = containers.onChange(({ type, container, at }) => {
      const details = criDetails(container);
      const shown = eventTypes[type];
      if (details && shown)
        listener({ type: shown, containerId: container.id, podUid: details.podUid, at });
    });
    const stopSandboxes = sandboxes.onChange(({ type, sandbox, at }) => {
      const { uid } = sandbox.config.metadata;
      listener({ type, containerId: sandbox.id, podUid: uid, at });
    });
    return () => {
      stop();
      stopSandboxes();
    };
  }

  /** Why pods of a handler cannot have users of their own; undefined if they can. */
  #userNamespaceProblem(handler: string): Promise<string | undefined> {
    const { runtime, ociPrograms, userNamespaces } = this.#options;
    return userNamespaces.problem(ociPrograms.get(handler) ?? runtime.program);
  }

  /** How the engine is set up, for people. */
  async #settings(): Promise<object> {
    const { program, root, cgroupManager } = this.#options.runtime;
    const problem = await this.#userNamespaceProblem("");
    return {
      ...{ ociRuntime: program, ociRuntimeRoot: root, cgroupManager },
      userNamespaces: problem ?? "supported",
    };
  }
}

const eventTypes: Readonly<Record<string, ContainerEvent["type"] | undefined>> = {
  created: "created",
  started: "started",
  exited: "stopped",
  deleted: "deleted",
};

function statusOf(container: Container): ContainerStatus {
  const details = criDetails(container);
  if (!details) throw new Error(`container ${container.id} is not one of a pod`);
  return containerStatus(container, details);
}

/** What can be told of some: those that end meanwhile must not keep a client from knowing of the others. */
async function known<T>(all: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(all);
  return settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
}

const newestFirst = (
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);

async function resizeAll<T>(
  sizes: AsyncIterable<T> | undefined,
  resize: (size: T) => Promise<void>,
): Promise<void> {
  try {
    for await (const size of sizes ?? []) await resize(size);
  } catch {
    // The client has disconnected, or the container has ended.
  }
}
