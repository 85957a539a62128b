import { type Clock, DeadlineExceeded, sleep, ticksOf } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Metrics, noMetrics } from "../../base/metrics.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { RuntimeCondition, RuntimeStatus } from "../../cri/runtime-status.ts";
import { formatDuration } from "../../schema/values/duration.ts";

/** Whether a container runtime works, as of the latest check. */
export interface RuntimeHealth {
  /** Queries the runtime. Resolves after a few seconds even if the runtime does not respond. */
  check(): Promise<void>;
  /** Why pods cannot have a network; a problem is known to exist still. */
  networkProblem(): Promise<string | undefined>;
  /** Why pods cannot run; empty if they can. */
  problems(): readonly string[];
  /** The latest status of a runtime that was ready. */
  readonly status: RuntimeStatus | undefined;
  /** Its name and version: `containerd://2.1.9`. */
  readonly version: string;
}

export interface RuntimeHealthOptions {
  readonly runtime: Pick<RuntimeService, "status" | "version" | "listPodSandboxes">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

/** Begins without knowledge of the runtime, which makes a node not ready. */
export function createRuntimeHealth({
  runtime,
  clock,
  log,
  metrics = noMetrics,
}: RuntimeHealthOptions): RuntimeHealth {
  const ticks = ticksOf(clock);
  const measured = listMetrics(metrics);
  let status: RuntimeStatus | undefined;
  let readyAt: number | undefined;
  let listedAt: number | undefined;
  let network: string | undefined = "network state unknown";
  let notReady: string | undefined;
  let version = "://Unknown";
  let checking: Promise<void> | undefined;

  const readStatus = async (): Promise<void> => {
    const read = await runtime.status();
    network = unready("container runtime network not ready", read, "NetworkReady");
    notReady = unready("container runtime not ready", read, "RuntimeReady");
    if (notReady !== undefined) return;
    status = read;
    readyAt = ticks();
  };
  /** A runtime that responds but cannot list its pods is of no use to them. */
  const list = async (): Promise<void> => {
    const began = ticks();
    await runtime.listPodSandboxes();
    const ended = ticks();
    measured.duration.observe((ended - began) / 1000);
    if (listedAt !== undefined) measured.interval.observe((ended - listedAt) / 1000);
    measured.lastSeen.set(Math.floor(clock.now() / 1000));
    listedAt = ended;
  };
  const readVersion = async (): Promise<void> => {
    try {
      const { runtimeName, runtimeVersion } = await runtime.version();
      version = `${runtimeName}://${runtimeVersion}`;
    } catch (error) {
      version = version.replace(/:\/\/.*/, "://Unknown");
      throw error;
    }
  };
  const query = async (): Promise<void> => {
    const results = await Promise.allSettled([readStatus(), list(), readVersion()]);
    for (const result of results)
      if (result.status === "rejected")
        log.warn("the container runtime check failed", { error: result.reason });
    checking = undefined;
  };

  const check = async (): Promise<void> => {
    checking ??= query();
    const limit = new AbortController();
    const waited = sleep(clock, patienceMs, limit.signal).catch(() => {});
    await Promise.race([checking, waited]);
    limit.abort(new DeadlineExceeded(patienceMs));
  };

  return {
    check,
    async networkProblem() {
      if (network !== undefined) await check();
      return network;
    },
    problems() {
      const now = ticks();
      return [runtimeProblem(readyAt, now), listProblem(listedAt, now), notReady, network].filter(
        (problem) => problem !== undefined,
      );
    },
    get status() {
      return status;
    },
    get version() {
      return version;
    },
  };
}

const patienceMs = 5000;
/** How long a runtime may be silent. */
const silenceMs = 30_000;
const listSilenceMs = 3 * 60_000;

function runtimeProblem(readyAt: number | undefined, now: number): string | undefined {
  if (readyAt === undefined) return "container runtime status check may not have completed yet";
  return now - readyAt >= silenceMs ? "container runtime is down" : undefined;
}

/** Upstream's name for listing the containers of a runtime is PLEG. */
function listProblem(listedAt: number | undefined, now: number): string | undefined {
  if (listedAt === undefined) return "PLEG is not healthy: pleg has yet to be successful";
  if (now - listedAt <= listSilenceMs) return undefined;
  const ago = durationText(now - listedAt);
  const threshold = durationText(listSilenceMs);
  return `PLEG is not healthy: pleg was last seen active ${ago} ago; threshold is ${threshold}`;
}

function listMetrics(metrics: Metrics) {
  const histogram = (name: string, help: string) =>
    metrics
      .histogram({
        ...{ name: `kubelet_pleg_${name}`, help, stability: "ALPHA" },
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      })
      .of();
  return {
    duration: histogram(
      "relist_duration_seconds",
      "Duration in seconds for relisting pods in PLEG.",
    ),
    interval: histogram(
      "relist_interval_seconds",
      "Interval in seconds between relisting in PLEG.",
    ),
    lastSeen: metrics
      .gauge({
        name: "kubelet_pleg_last_seen_seconds",
        help: "Timestamp in seconds when PLEG was last seen active.",
        stability: "ALPHA",
      })
      .of(),
  };
}

const durationText = (ms: number): string => formatDuration(BigInt(Math.round(ms * 1e6)));

/** What a runtime says about a condition that does not hold. */
function unready(what: string, { conditions }: RuntimeStatus, type: string): string | undefined {
  const found = conditions.find((condition) => condition.type === type);
  return found?.isTrue ? undefined : `${what}: ${conditionText(found)}`;
}

const conditionText = (condition: RuntimeCondition | undefined): string =>
  condition
    ? `${condition.type}=${condition.isTrue} reason:${condition.reason} message:${condition.message}`
    : "<nil>";
