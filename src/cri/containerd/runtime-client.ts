import { logFile } from "../../platform/log-file.ts";
import { CpuRates } from "../cpu-rates.ts";
import { linuxResources } from "../linux-resources.ts";
import { readLog } from "../read-log.ts";
import { RuntimeError, type RuntimeService, type RuntimeVersion } from "../runtime-service.ts";
import type { RuntimeConfig, RuntimeStatus } from "../runtime-status.ts";
import type {
  CheckpointOptions,
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerResources,
  ContainerStatus,
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxResources,
  PodSandboxStatus,
  StatusOptions,
} from "../runtime-types.ts";
import type {
  ContainerStats,
  ContainerStatsFilter,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
  PodSandboxStatsFilter,
  ResourceUsage,
} from "../stats-types.ts";
import type {
  ExecResult,
  ForwardSession,
  LogOptions,
  LogPiece,
  StreamSession,
  StreamTarget,
} from "../streams.ts";
import { containerConfigToWire } from "../wire/container-config.ts";
import { containerStatsFromWire } from "../wire/container-stats.ts";
import { containerStatusFromWire, type ListedContainer } from "../wire/container-status.ts";
import { containerFilterToWire, sandboxFilterToWire } from "../wire/filters.ts";
import { linuxResourcesToWire } from "../wire/linux-resources.ts";
import { runtimeMethods as methods } from "../wire/messages/runtime-methods.ts";
import { metricsFromWire } from "../wire/metrics.ts";
import { infoFromWire, runtimeStatusFromWire } from "../wire/runtime-status.ts";
import { podResourcesToWire, sandboxConfigToWire } from "../wire/sandbox-config.ts";
import { sandboxStatsFromWire } from "../wire/sandbox-stats.ts";
import { sandboxStatusFromWire } from "../wire/sandbox-status.ts";
import { type CriCalls, timeoutBeyond } from "./cri-calls.ts";
import type { EventSource } from "./event-source.ts";
import type { RemoteStreams } from "./remote-streams.ts";

export interface RuntimeClientOptions {
  readonly calls: CriCalls;
  readonly events: EventSource;
  readonly streams: RemoteStreams;
}

/** A runtime behind gRPC: containerd, CRI-O, or any other that speaks CRI v1. */
export class RuntimeClient implements RuntimeService {
  readonly #calls: CriCalls;
  readonly #events: EventSource;
  readonly #streams: RemoteStreams;
  readonly #rates = new CpuRates();

  constructor({ calls, events, streams }: RuntimeClientOptions) {
    this.#calls = calls;
    this.#events = events;
    this.#streams = streams;
  }

  async version(): Promise<RuntimeVersion> {
    const found = await this.#calls.call(methods.version, {});
    return { runtimeName: found.runtime_name, runtimeVersion: found.runtime_version };
  }

  async status({ verbose }: StatusOptions = {}): Promise<RuntimeStatus> {
    return runtimeStatusFromWire(await this.#calls.call(methods.status, { verbose }));
  }

  async runtimeConfig(): Promise<RuntimeConfig> {
    const { linux } = await this.#calls.call(methods.runtimeConfig, {});
    return { cgroupDriver: linux?.cgroup_driver };
  }

  async updateRuntimeConfig({ podCidr }: { readonly podCidr: string }): Promise<void> {
    const runtime_config = { network_config: { pod_cidr: podCidr } };
    await this.#calls.call(methods.updateRuntimeConfig, { runtime_config });
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const request = {
      config: sandboxConfigToWire(config),
      runtime_handler: config.runtimeHandler,
    };
    const { pod_sandbox_id } = await this.#change(() =>
      this.#calls.call(methods.runPodSandbox, request, { timeoutMs: 2 * this.#calls.timeoutMs }),
    );
    return pod_sandbox_id;
  }

  stopPodSandbox(id: string): Promise<void> {
    return this.#change(() => this.#calls.end(methods.stopPodSandbox, { pod_sandbox_id: id }));
  }

  removePodSandbox(id: string): Promise<void> {
    return this.#change(() => this.#calls.end(methods.removePodSandbox, { pod_sandbox_id: id }));
  }

  async podSandboxStatus(id: string, { verbose }: StatusOptions = {}): Promise<PodSandboxStatus> {
    const request = { pod_sandbox_id: id, verbose };
    const response = await this.#calls.call(methods.podSandboxStatus, request);
    if (!response.status) throw notFound("sandbox", id);
    return { ...sandboxStatusFromWire(response.status), ...(verbose && infoFromWire(response)) };
  }

  async listPodSandboxes(filter: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    const request = { filter: sandboxFilterToWire(filter) };
    const { items } = await this.#calls.call(methods.listPodSandbox, request);
    return existing([...items].sort(newestFirst).map(({ id }) => this.podSandboxStatus(id)));
  }

  async updatePodSandboxResources(id: string, resources: PodSandboxResources): Promise<void> {
    await this.#calls.call(methods.updatePodSandboxResources, {
      pod_sandbox_id: id,
      ...podResourcesToWire(resources),
    });
  }

  async createContainer(
    sandboxId: string,
    config: ContainerConfig,
    sandbox: PodSandboxConfig,
  ): Promise<string> {
    const request = {
      pod_sandbox_id: sandboxId,
      config: containerConfigToWire(config, sandbox),
      sandbox_config: sandboxConfigToWire(sandbox),
    };
    const { container_id } = await this.#change(() =>
      this.#calls.call(methods.createContainer, request),
    );
    return container_id;
  }

  async startContainer(id: string): Promise<void> {
    await this.#change(() => this.#calls.call(methods.startContainer, { container_id: id }));
  }

  stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    const request = { container_id: id, timeout: timeoutSeconds };
    const options = timeoutBeyond(timeoutSeconds || 1, this.#calls);
    return this.#change(() => this.#calls.end(methods.stopContainer, request, options));
  }

  removeContainer(id: string): Promise<void> {
    return this.#change(() => this.#calls.end(methods.removeContainer, { container_id: id }));
  }

  async containerStatus(id: string, options: StatusOptions = {}): Promise<ContainerStatus> {
    const [status, { containers }] = await Promise.all([
      this.#calls.call(methods.containerStatus, { container_id: id, ...options }),
      // Only lists name the sandbox of a container.
      this.#calls.call(methods.listContainers, { filter: { id } }),
    ]);
    const [listed] = containers;
    if (!status.status || !listed) throw notFound("container", id);
    const found = containerStatusFromWire(status.status, listed);
    return { ...found, ...(options.verbose && infoFromWire(status)) };
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    const request = { filter: containerFilterToWire(filter) };
    const { containers } = await this.#calls.call(methods.listContainers, request);
    return existing([...containers].sort(newestFirst).map((listed) => this.#listedStatus(listed)));
  }

  async #listedStatus(listed: ListedContainer & { readonly id: string }): Promise<ContainerStatus> {
    const request = { container_id: listed.id };
    const { status } = await this.#calls.call(methods.containerStatus, request);
    if (!status) throw notFound("container", listed.id);
    return containerStatusFromWire(status, listed);
  }

  async updateContainerResources(id: string, resources: ContainerResources): Promise<void> {
    await this.#calls.call(methods.updateContainerResources, {
      container_id: id,
      linux: linuxResourcesToWire(linuxResources(resources)),
    });
  }

  async checkpointContainer(id: string, options: CheckpointOptions): Promise<void> {
    const { location, timeoutSeconds } = options;
    const request = { container_id: id, location, timeout: timeoutSeconds };
    await this.#calls.call(
      methods.checkpointContainer,
      request,
      timeoutBeyond(timeoutSeconds, this.#calls),
    );
  }

  async containerStats(id: string): Promise<ContainerStats> {
    const { stats } = await this.#calls.call(methods.containerStats, { container_id: id });
    if (!stats) throw notFound("container", id);
    const found = containerStatsFromWire(stats);
    return this.#withRate(found.id, found);
  }

  async listContainerStats(filter: ContainerStatsFilter = {}): Promise<readonly ContainerStats[]> {
    const { id, sandboxId, labels } = filter;
    const { stats } = await this.#calls.call(methods.listContainerStats, {
      filter: { id, pod_sandbox_id: sandboxId, label_selector: labels },
    });
    return stats.map(containerStatsFromWire).map((one) => this.#withRate(one.id, one));
  }

  async podSandboxStats(id: string): Promise<PodSandboxStats> {
    const { stats } = await this.#calls.call(methods.podSandboxStats, { pod_sandbox_id: id });
    if (!stats) throw notFound("sandbox", id);
    const found = sandboxStatsFromWire(stats);
    return this.#withRate(found.id, found);
  }

  async listPodSandboxStats({
    id,
    labels,
  }: PodSandboxStatsFilter = {}): Promise<readonly PodSandboxStats[]> {
    const filter = { id, label_selector: labels };
    const { stats } = await this.#calls.call(methods.listPodSandboxStats, { filter });
    return stats.map(sandboxStatsFromWire).map((pod) => ({
      ...this.#withRate(pod.id, pod),
      containers: pod.containers.map((one) => this.#withRate(one.id, one)),
    }));
  }

  /** The usage with its rate, for runtimes that only count how much was used so far. */
  #withRate<U extends ResourceUsage>(id: string, usage: U): U {
    const rate = this.#rates.of(id, usage.at, usage.cpuCoreNanoSeconds);
    return usage.cpuNanoCores > 0 ? usage : { ...usage, cpuNanoCores: rate };
  }

  async listMetricDescriptors(): Promise<readonly MetricDescriptor[]> {
    const { descriptors } = await this.#calls.call(methods.listMetricDescriptors, {});
    return descriptors.map(({ name, help, label_keys: labelKeys }) => ({ name, help, labelKeys }));
  }

  async listPodSandboxMetrics(): Promise<readonly PodSandboxMetrics[]> {
    const { pod_metrics } = await this.#calls.call(methods.listPodSandboxMetrics, {});
    return pod_metrics.map(metricsFromWire);
  }

  async execSync(
    id: string,
    command: readonly string[],
    timeoutSeconds: number,
  ): Promise<ExecResult> {
    const request = { container_id: id, cmd: command, timeout: timeoutSeconds };
    const { stdout, stderr, exit_code } = await this.#calls.call(
      methods.execSync,
      request,
      timeoutBeyond(timeoutSeconds, this.#calls),
    );
    return { stdout, stderr, exitCode: exit_code };
  }

  exec(target: StreamTarget, session: StreamSession): Promise<number> {
    return this.#streams.exec(target, session);
  }

  attach(target: StreamTarget, session: StreamSession): Promise<number> {
    return this.#streams.attach(target, session);
  }

  portForward(sandboxId: string, port: number, session: ForwardSession): Promise<void> {
    return this.#streams.portForward(sandboxId, port, session);
  }

  async *logs(id: string, options: LogOptions): AsyncGenerator<LogPiece> {
    const ended = new AbortController();
    // Before the status is read, so that no end is missed.
    const unlisten = options.follow
      ? this.#events.listen(({ type, containerId }) => {
          const isOver = type === "stopped" || type === "deleted";
          if (isOver && containerId.startsWith(id)) ended.abort();
        })
      : () => undefined;
    try {
      const { state, logPath } = await this.containerStatus(id);
      if (logPath === undefined)
        throw new RuntimeError("FailedPrecondition", `container ${JSON.stringify(id)} has no log`);
      if (state === "exited" || state === "unknown") ended.abort();
      yield* readLog(logFile(logPath), options, ended.signal);
    } finally {
      unlisten();
    }
  }

  async reopenContainerLog(id: string): Promise<void> {
    await this.#calls.call(methods.reopenContainerLog, { container_id: id });
  }

  containerEvents(listener: (event: ContainerEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  /** Makes a call of which listeners are to hear. */
  async #change<T>(call: () => Promise<T>): Promise<T> {
    await this.#events.ready();
    try {
      return await call();
    } finally {
      this.#events.expectChanges();
    }
  }
}

const notFound = (what: string, id: string): RuntimeError =>
  new RuntimeError("NotFound", `${what} ${JSON.stringify(id)}: not found`);

interface Dated {
  readonly created_at: bigint;
}

const newestFirst = (a: Dated, b: Dated): number =>
  a.created_at === b.created_at ? 0 : a.created_at < b.created_at ? 1 : -1;

/** The statuses of what still exists. */
async function existing<T>(statuses: readonly Promise<T>[]): Promise<readonly T[]> {
  const found = await Promise.all(
    statuses.map((status) =>
      status.catch((error: unknown) => {
        if (!RuntimeError.isNotFound(error)) throw error;
        return undefined;
      }),
    ),
  );
  return found.filter((status) => status !== undefined);
}
