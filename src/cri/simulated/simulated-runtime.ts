import { type Clock, sleep } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { findId } from "../find-id.ts";
import { hasLabels } from "../has-labels.ts";
import { listPodMetrics, metricDescriptors } from "../pod-metrics.ts";
import { RuntimeError, type RuntimeService } from "../runtime-service.ts";
import type { RuntimeConfig, RuntimeStatus } from "../runtime-status.ts";
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
} from "../runtime-types.ts";
import type {
  ContainerStats,
  ContainerStatsFilter,
  MetricDescriptor,
  PodSandboxMetrics,
  PodSandboxStats,
  PodSandboxStatsFilter,
} from "../stats-types.ts";
import type { ExecResult, LogOptions, LogPiece, StreamSession, StreamTarget } from "../streams.ts";
import { AddressPool } from "./address-pool.ts";
import { annotated, behaviourOf } from "./behaviour.ts";
import { newId } from "./chance.ts";
import {
  drawn,
  ownEnd,
  type SimulatedContainer,
  type SimulatedSandbox,
  sandboxStatusOf,
  statusOf,
} from "./simulated-container.ts";
import { attachSimulated, execSimulated, execSimulatedSync } from "./simulated-exec.ts";
import { imageRefOf } from "./simulated-images.ts";
import { simulatedLogs } from "./simulated-logs.ts";
import { type StatsTime, simulatedPodStats, simulatedStats } from "./simulated-stats.ts";

export interface SimulatedRuntimeOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The range of pod addresses: `10.244.3.0/24`. */
  readonly podCidr: string;
  /** How many pods share what annotations say is shared with others of a pod's owner; 1 if not given. */
  readonly sharers?: ((pod: PodSandboxConfig["metadata"]) => number) | undefined;
}

/** A container that ran before the runtime started, and continues. */
export interface RestoredContainer {
  readonly config: ContainerConfig;
  readonly id: string;
  readonly startedAt: number;
  /** Absent while it runs. */
  readonly end?:
    | Pick<ContainerStatus, "finishedAt" | "exitCode" | "reason" | "message">
    | undefined;
}

/**
 * A container runtime without containers: it simulates them, from annotations of their pods and from a few
 * known commands. Only its clock drives it.
 */
export class SimulatedRuntime implements RuntimeService {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #addresses: AddressPool;
  readonly #sharers: NonNullable<SimulatedRuntimeOptions["sharers"]>;
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  /** The sandboxes of each pod, the newest last. */
  readonly #byPod = new Map<string, SimulatedSandbox[]>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #listeners = new Set<(event: ContainerEvent) => void>();

  constructor({ clock, random, podCidr, sharers = () => 1 }: SimulatedRuntimeOptions) {
    this.#sharers = sharers;
    this.#clock = clock;
    this.#random = random;
    this.#addresses = new AddressPool(podCidr);
  }

  async version() {
    return { runtimeName: "wherry", runtimeVersion: "simulated" };
  }

  async status({ verbose = false }: StatusOptions = {}): Promise<RuntimeStatus> {
    const isTrue = { isTrue: true, reason: "", message: "" };
    return {
      conditions: [
        { type: "RuntimeReady", ...isTrue },
        { type: "NetworkReady", ...isTrue },
      ],
      handlers: [{ name: "", recursiveReadOnlyMounts: true, userNamespaces: true }],
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
      ...(verbose && { info: { config: "{}" } }),
    };
  }

  async runtimeConfig(): Promise<RuntimeConfig> {
    return { cgroupDriver: "cgroupfs" };
  }

  /** The addresses of pods come from the range with which it was created. */
  async updateRuntimeConfig(): Promise<void> {}

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const fault = annotated(config, "sandbox-error");
    if (fault !== undefined) throw new RuntimeError("Unknown", fault);
    const sandbox = this.#addSandbox(config, newId(this.#random), {
      ip: config.hostNetwork ? undefined : this.#addresses.take(),
      createdAt: this.#clock.now(),
    });
    this.#notify("started", sandbox.id, sandbox);
    return sandbox.id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const sandbox = this.#maybeSandbox(id);
    if (sandbox?.state !== "ready") return;
    for (const container of sandbox.containers) this.#end(container, killed);
    sandbox.state = "notReady";
    if (sandbox.ip !== undefined) this.#addresses.release(sandbox.ip);
    this.#notify("stopped", sandbox.id, sandbox);
  }

  async removePodSandbox(wanted: string): Promise<void> {
    const sandbox = this.#maybeSandbox(wanted);
    if (!sandbox) return;
    const { id } = sandbox;
    await this.stopPodSandbox(id);
    for (const container of sandbox.containers) this.#remove(container);
    this.#sandboxes.delete(id);
    const { uid } = sandbox.config.metadata;
    const left = this.#byPod.get(uid)?.filter((other) => other !== sandbox) ?? [];
    if (left.length > 0) this.#byPod.set(uid, left);
    else this.#byPod.delete(uid);
    this.#notify("deleted", id, sandbox);
  }

  async podSandboxStatus(
    id: string,
    { verbose = false }: StatusOptions = {},
  ): Promise<PodSandboxStatus> {
    return { ...sandboxStatusOf(this.#sandbox(id)), ...(verbose && { info: { info: "{}" } }) };
  }

  async listPodSandboxes(filter: PodSandboxFilter = {}): Promise<readonly PodSandboxStatus[]> {
    const { podUid, state, labels } = filter;
    const id = filter.id && (this.#maybeSandbox(filter.id)?.id ?? filter.id);
    const candidates =
      podUid === undefined ? [...this.#sandboxes.values()] : (this.#byPod.get(podUid) ?? []);
    return candidates
      .filter(
        (sandbox) =>
          (id === undefined || sandbox.id === id) &&
          (state === undefined || sandbox.state === state) &&
          hasLabels(sandbox.config.labels, labels),
      )
      .map(sandboxStatusOf)
      .reverse();
  }

  async updatePodSandboxResources(id: string): Promise<void> {
    this.#sandbox(id);
  }

  async createContainer(sandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandbox(sandboxId);
    if (sandbox.state !== "ready")
      throw new RuntimeError("FailedPrecondition", `sandbox ${quoted(sandboxId)} is not running`);
    const container = this.#addContainer(sandbox, config, newId(this.#random));
    const { createError } = container.behaviour;
    if (createError !== undefined) {
      this.#remove(container);
      throw new RuntimeError("Unknown", createError);
    }
    this.#notify("created", container.id, sandbox);
    return container.id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#container(id);
    const { startDelay, startError } = container.behaviour;
    if (startDelay) await sleep(this.#clock, drawn(container, "start-delay", startDelay));
    // The container may have been stopped or removed meanwhile.
    if (this.#container(id).state !== "created")
      throw new RuntimeError("FailedPrecondition", `container ${quoted(id)} cannot be started`);
    if (startError !== undefined) {
      this.#end(container, { exitCode: 128, reason: "StartError", message: startError });
      throw new RuntimeError("Unknown", startError);
    }
    container.state = "running";
    container.startedAt = this.#clock.now();
    this.#notify("started", container.id, container.sandbox);
    this.#scheduleEnd(container);
  }

  async stopContainer(id: string, timeoutSeconds: number): Promise<void> {
    const container = this.#maybeContainer(id);
    if (!container) return;
    if (container.state === "created") this.#end(container, killed);
    if (container.state !== "running") return;
    const { stopDelay, ignoresSigterm, stopExitCode: exitCode } = container.behaviour;
    const needed = stopDelay ? drawn(container, "stop-delay", stopDelay) : 0;
    const allowed = timeoutSeconds * 1000;
    const isKilled = ignoresSigterm || needed > allowed;
    const wait = isKilled ? allowed : needed;
    if (wait > 0) await this.#endWithin(container, wait);
    const reason = exitCode === 0 ? "Completed" : "Error";
    this.#end(container, isKilled ? killed : { exitCode, reason });
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#maybeContainer(id);
    if (!container) return;
    this.#end(container, killed);
    this.#remove(container);
    this.#notify("deleted", container.id, container.sandbox);
  }

  async containerStatus(
    id: string,
    { verbose = false }: StatusOptions = {},
  ): Promise<ContainerStatus> {
    return { ...statusOf(this.#container(id)), ...(verbose && { info: { info: "{}" } }) };
  }

  async listContainers(filter: ContainerFilter = {}): Promise<readonly ContainerStatus[]> {
    const { podUid, state, labels } = filter;
    const id = filter.id && (this.#maybeContainer(filter.id)?.id ?? filter.id);
    const sandboxId = filter.sandboxId && (this.#maybeSandbox(filter.sandboxId)?.id ?? "");
    const candidates =
      podUid === undefined
        ? [...this.#containers.values()]
        : (this.#byPod.get(podUid) ?? []).flatMap(({ containers }) => [...containers]);
    return candidates
      .filter(
        (container) =>
          (id === undefined || container.id === id) &&
          (sandboxId === undefined || container.sandbox.id === sandboxId) &&
          (state === undefined || container.state === state) &&
          hasLabels(container.config.labels, labels),
      )
      .map(statusOf)
      .reverse();
  }

  async updateContainerResources(id: string, resources: ContainerResources): Promise<void> {
    const container = this.#container(id);
    const { resources: before } = container;
    const linux = resources.linux && { linux: { ...before.linux, ...resources.linux } };
    container.resources = { ...before, ...resources, ...linux };
    if (container.state === "running") this.#scheduleEnd(container);
  }

  async containerStats(id: string): Promise<ContainerStats> {
    const container = this.#container(id);
    return simulatedStats(container, this.#statsTime(container.sandbox));
  }

  async listContainerStats(filter: ContainerStatsFilter = {}): Promise<readonly ContainerStats[]> {
    const running = await this.listContainers({ ...filter, state: "running" });
    return Promise.all(running.map(({ id }) => this.containerStats(id)));
  }

  async podSandboxStats(id: string): Promise<PodSandboxStats> {
    const sandbox = this.#sandbox(id);
    return simulatedPodStats(sandbox, this.#statsTime(sandbox));
  }

  #statsTime({ config, containers }: SimulatedSandbox): StatsTime {
    const isShared = [...containers].some(
      ({ behaviour: { cpu, memory } }) => cpu?.isShared || memory?.isShared,
    );
    return { now: this.#clock.now(), sharers: isShared ? this.#sharers(config.metadata) : 1 };
  }

  async listPodSandboxStats(
    filter: PodSandboxStatsFilter = {},
  ): Promise<readonly PodSandboxStats[]> {
    const ready = await this.listPodSandboxes({ ...filter, state: "ready" });
    return Promise.all(ready.map(({ id }) => this.podSandboxStats(id)));
  }

  async listMetricDescriptors(): Promise<readonly MetricDescriptor[]> {
    return metricDescriptors;
  }

  listPodSandboxMetrics(): Promise<readonly PodSandboxMetrics[]> {
    return listPodMetrics(this);
  }

  async checkpointContainer(): Promise<void> {
    throw new RuntimeError("Unimplemented", "method CheckpointContainer not implemented");
  }

  execSync(id: string, command: readonly string[], timeoutSeconds: number): Promise<ExecResult> {
    return execSimulatedSync(this.#running(id), command, { clock: this.#clock, timeoutSeconds });
  }

  exec({ containerId, command = [] }: StreamTarget, session: StreamSession): Promise<number> {
    return execSimulated(this.#running(containerId), command, { clock: this.#clock, session });
  }

  attach({ containerId }: StreamTarget, session: StreamSession): Promise<number> {
    const container = this.#running(containerId);
    const end = (exitCode: number): void =>
      this.#end(container, { exitCode, reason: exitCode === 0 ? "Completed" : "Error" });
    return attachSimulated(container, { clock: this.#clock, session, end });
  }

  async portForward(sandboxId: string, port: number): Promise<void> {
    const { id } = this.#sandbox(sandboxId);
    const what = `failed to connect to localhost:${port} inside namespace ${quoted(id)}`;
    throw new RuntimeError("Unknown", `${what}: connection refused`);
  }

  /** Nothing is done: its log has no file. */
  async reopenContainerLog(id: string): Promise<void> {
    this.#running(id);
  }

  logs(id: string, options: LogOptions): AsyncIterable<LogPiece> {
    return simulatedLogs(this.#container(id), this.#clock, options);
  }

  containerEvents(listener: (event: ContainerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A container of this runtime, for the simulation of probes and hooks. */
  simulated(id: string): SimulatedContainer | undefined {
    return this.#containers.get(id);
  }

  /**
   * Restores a pod that ran before: its containers have their earlier state, and those that end by
   * themselves end when they would have without a restart. Listeners are not notified.
   */
  restore(
    config: PodSandboxConfig,
    ip: string | undefined,
    restored: readonly RestoredContainer[],
  ) {
    const createdAt = Math.min(this.#clock.now(), ...restored.map(({ startedAt }) => startedAt));
    const sandbox = this.#addSandbox(config, newId(this.#random), { ip, createdAt });
    if (ip !== undefined) this.#addresses.reserve(ip);
    for (const { config: containerConfig, id, startedAt, end } of restored) {
      const container = this.#addContainer(sandbox, containerConfig, id, startedAt);
      container.startedAt = startedAt;
      container.state = end ? "exited" : "running";
      if (end) Object.assign(container, end);
      else this.#scheduleEnd(container);
    }
  }

  /** Stops all timers. */
  close(): void {
    this.#listeners.clear();
    for (const { timer } of this.#containers.values()) timer?.cancel();
  }

  #addSandbox(
    config: PodSandboxConfig,
    id: string,
    { ip, createdAt }: { readonly ip: string | undefined; readonly createdAt: number },
  ): SimulatedSandbox {
    const containers = new Set<SimulatedContainer>();
    const sandbox: SimulatedSandbox = { id, config, createdAt, ip, state: "ready", containers };
    this.#sandboxes.set(id, sandbox);
    const { uid } = config.metadata;
    this.#byPod.set(uid, [...(this.#byPod.get(uid) ?? []), sandbox]);
    return sandbox;
  }

  #addContainer(
    sandbox: SimulatedSandbox,
    config: ContainerConfig,
    id: string,
    createdAt = this.#clock.now(),
  ): SimulatedContainer {
    const container: SimulatedContainer = {
      id,
      sandbox,
      config,
      behaviour: behaviourOf(sandbox.config, config),
      createdAt,
      imageRef: imageRefOf(config.image),
      state: "created",
      startedAt: 0,
      finishedAt: 0,
      exitCode: 0,
      reason: "",
      message: "",
      resources: config.resources,
      timer: undefined,
      sharedCpu: undefined,
      waiting: new Set(),
    };
    this.#containers.set(id, container);
    sandbox.containers.add(container);
    return container;
  }

  #scheduleEnd(container: SimulatedContainer): void {
    container.timer?.cancel();
    const end = ownEnd(container);
    if (!end) return;
    const left = container.startedAt + end.ms - this.#clock.now();
    const { exitCode, reason } = end;
    const message = container.behaviour.terminationMessage ?? "";
    const finish = (): void => this.#end(container, { exitCode, reason, message });
    // A container that ends at once is still running when its start returns.
    container.timer = this.#clock.setTimer(Math.max(0, left), finish);
  }

  /** Waits for a time, or until the container ends by itself. */
  #endWithin(container: SimulatedContainer, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(ms, () => {
        container.waiting.delete(over);
        resolve();
      });
      const over = (): void => {
        timer.cancel();
        resolve();
      };
      container.waiting.add(over);
    });
  }

  #end(
    container: SimulatedContainer,
    { exitCode, reason, message = "" }: { exitCode: number; reason: string; message?: string },
  ): void {
    if (container.state === "exited") return;
    container.timer?.cancel();
    container.timer = undefined;
    container.state = "exited";
    container.finishedAt = this.#clock.now();
    container.exitCode = exitCode;
    container.reason = reason;
    container.message = message;
    const waiting = [...container.waiting];
    container.waiting.clear();
    for (const wake of waiting) wake();
    this.#notify("stopped", container.id, container.sandbox);
  }

  #remove(container: SimulatedContainer): void {
    container.timer?.cancel();
    this.#containers.delete(container.id);
    container.sandbox.containers.delete(container);
  }

  #notify(type: ContainerEvent["type"], containerId: string, { config }: SimulatedSandbox): void {
    const event = { type, containerId, podUid: config.metadata.uid, at: this.#clock.now() };
    for (const listener of this.#listeners) listener(event);
  }

  #maybeSandbox(wanted: string): SimulatedSandbox | undefined {
    const id = findId(this.#sandboxes, wanted);
    return id === undefined ? undefined : this.#sandboxes.get(id);
  }

  #maybeContainer(wanted: string): SimulatedContainer | undefined {
    const id = findId(this.#containers, wanted);
    return id === undefined ? undefined : this.#containers.get(id);
  }

  #sandbox(id: string): SimulatedSandbox {
    const found = this.#maybeSandbox(id);
    if (!found) throw new RuntimeError("NotFound", `sandbox ${quoted(id)}: not found`);
    return found;
  }

  #container(id: string): SimulatedContainer {
    const found = this.#maybeContainer(id);
    if (!found) throw new RuntimeError("NotFound", `container ${quoted(id)}: not found`);
    return found;
  }

  #running(id: string): SimulatedContainer {
    const found = this.#container(id);
    if (found.state !== "running")
      throw new RuntimeError("FailedPrecondition", `container ${quoted(id)} is not running`);
    return found;
  }
}

/** The result of SIGKILL. */
const killed = { exitCode: 137, reason: "Error" };

const quoted = (id: string): string => JSON.stringify(id);
