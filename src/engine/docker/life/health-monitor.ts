import type { Clock } from "../../../base/clock.ts";
import { sleep } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { Containers } from "../../containers/containers.ts";
import type { DockerContainer } from "../create/docker-details.ts";
import { dockerTime } from "../show/docker-time.ts";
import type { DockerEvents } from "../system/docker-events.ts";
import { emitContainer } from "./container-events.ts";
import {
  type Health,
  nextHealth,
  type ProbeResult,
  probeCommand,
  startingHealth,
} from "./health.ts";

interface MonitorOptions {
  readonly containers: Containers;
  readonly events: DockerEvents;
  readonly clock: Clock;
  readonly log: Log;
}

/** Probes the containers that have a health check, one after another probe of each. */
export class HealthMonitor {
  readonly #options: MonitorOptions;
  readonly #watched = new Map<string, { health: Health; readonly stop: AbortController }>();

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** The health of a container; undefined if it has no health check. */
  health(id: string): Health | undefined {
    return this.#watched.get(id)?.health;
  }

  /** Probes a container from now on, until it has ended. */
  watch(container: DockerContainer): void {
    this.#watched.get(container.id)?.stop.abort();
    const { Healthcheck, Shell } = container.details.config;
    const command = probeCommand(Healthcheck?.Test ?? null, Shell);
    if (!command) return;
    const stop = new AbortController();
    this.#watched.set(container.id, { health: startingHealth, stop });
    void this.#run(container, command, stop.signal);
  }

  /** Stops probing; the last health stays known. */
  pause(id: string): void {
    const watched = this.#watched.get(id);
    watched?.stop.abort();
    if (watched) watched.health = { ...watched.health, Status: "unhealthy" };
  }

  forget(id: string): void {
    this.#watched.get(id)?.stop.abort();
    this.#watched.delete(id);
  }

  close(): void {
    for (const { stop } of this.#watched.values()) stop.abort();
  }

  async #run(
    container: DockerContainer,
    command: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#options;
    const check = container.details.config.Healthcheck;
    const startedAt = clock.now();
    const startPeriodMs = milliseconds(check?.StartPeriod, 0);
    const retries = check?.Retries || defaultRetries;
    try {
      for (;;) {
        const isStarting =
          this.health(container.id)?.Status === "starting" &&
          clock.now() - startedAt < startPeriodMs;
        const interval = isStarting
          ? milliseconds(check?.StartInterval, defaultStartIntervalMs)
          : milliseconds(check?.Interval, defaultIntervalMs);
        await sleep(clock, interval, signal);
        const isStartPeriod = clock.now() - startedAt < startPeriodMs;
        const result = await this.#probe(container, command, signal);
        if (signal.aborted) return;
        this.#record(container, result, { retries, isStartPeriod });
      }
    } catch (error) {
      if (!signal.aborted)
        this.#options.log.error("health checks of a container failed", error, { id: container.id });
    }
  }

  async #probe(
    container: DockerContainer,
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<ProbeResult> {
    const { clock, containers } = this.#options;
    const { Healthcheck: check } = container.details.config;
    const timeoutMs = milliseconds(check?.Timeout, defaultTimeoutMs);
    const Start = dockerTime(clock.now());
    let output = "";
    const collect = async (bytes: Uint8Array): Promise<void> => {
      if (output.length < mostOutput) output += Buffer.from(bytes).toString("utf8");
    };
    const end = (ExitCode: number, text: string): ProbeResult => ({
      Start,
      End: dockerTime(clock.now()),
      ExitCode,
      Output: text.slice(0, mostOutput),
    });
    try {
      const session = { stdout: collect, stderr: collect, signal };
      const code = await containers.exec(container.id, { args, tty: false, timeoutMs }, session);
      return end(code, output);
    } catch (error) {
      const isLate = error instanceof Error && "code" in error && error.code === "DeadlineExceeded";
      return isLate
        ? end(-1, `Health check exceeded timeout (${timeoutMs / 1000}s)`)
        : end(-1, errorMessage(error));
    }
  }

  #record(
    container: DockerContainer,
    result: ProbeResult,
    rule: { readonly retries: number; readonly isStartPeriod: boolean },
  ): void {
    const watched = this.#watched.get(container.id);
    if (!watched) return;
    const before = watched.health.Status;
    watched.health = nextHealth(watched.health, result, rule);
    const { Status } = watched.health;
    if (Status !== before)
      emitContainer(this.#options.events, container, `health_status: ${Status}`);
  }
}

/** A duration in nanoseconds; those of an image are not checked, and one below a millisecond is none. */
const milliseconds = (nanoseconds = 0, absent: number): number =>
  nanoseconds >= 1e6 ? nanoseconds / 1e6 : absent;

const defaultIntervalMs = 30_000;
const defaultTimeoutMs = 30_000;
const defaultStartIntervalMs = 5_000;
const defaultRetries = 3;
const mostOutput = 4096;
