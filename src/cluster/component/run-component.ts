import { hostname } from "node:os";
import type { Log } from "../../base/log.ts";
import type { MetricSelection } from "../../base/metric-selection.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { hostPort } from "../../base/network.ts";
import type { Streams } from "../../cli/command.ts";
import type { RateLimit } from "../../client/rate-limited.ts";
import { LeadershipLostError } from "../../controller-runtime/election/leader-election-options.ts";
import { createManager } from "../../controller-runtime/manager/manager.ts";
import type { Manager, ManagerOptions } from "../../controller-runtime/manager/manager-options.ts";
import { addProcessMetrics } from "../../platform/process-metrics.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import type { DelegatedFlags } from "../flags/delegated-flags.ts";
import type { LeaderElectionFlags } from "../flags/leader-election-flags.ts";
import type { SecureServingFlags } from "../flags/secure-serving-flags.ts";
import { reportedInfo, reportedVersion, type VersionChoice } from "../flags/version-flag.ts";
import { addFeatureMetrics } from "../serving/feature-metrics.ts";
import { type ComponentConnectionFlags, componentConnection } from "./component-connection.ts";
import { type ComponentPages, componentRoutes } from "./component-routes.ts";
import { openComponentServer } from "./component-server.ts";
import { componentTransports } from "./component-transports.ts";

export interface ComponentOptions {
  /** The component's name, such as `kube-scheduler`. */
  readonly name: string;
  readonly flags: SecureServingFlags &
    DelegatedFlags &
    LeaderElectionFlags & { readonly version: VersionChoice };
  /** Which metrics are shown. */
  readonly metrics: MetricSelection;
  readonly connection: ComponentConnectionFlags;
  readonly limit: RateLimit;
  /** The limit of an account, if it differs. */
  readonly limitOf?: ((account: string) => RateLimit | undefined) | undefined;
  readonly usesAccounts: boolean;
  readonly pages: Pick<ComponentPages, "configuration" | "flags" | "debug" | "profiles">;
  readonly manager: Pick<
    ManagerOptions,
    "healthChecks" | "readyChecks" | "gracePeriodMs" | "eventApi"
  >;
  /** Adds runnables; `authorities` reads the CA certificates of the API server, PEM. */
  add(manager: Manager, found: FoundServer): void | Promise<void>;
  readonly log: Log;
}

/** What the connection of a component says of the API server. */
interface FoundServer {
  readonly authorities: () => Promise<string | undefined>;
}

/** Runs a component against its API server until it is stopped or loses its leadership; returns the exit code. */
export async function runComponent(
  options: ComponentOptions,
  { signal, streams }: { readonly signal: AbortSignal; readonly streams: Streams },
): Promise<number> {
  const { name, flags, limit, limitOf, usesAccounts, log } = options;
  const connection = await componentConnection(options.connection, {
    component: name,
    version: reportedVersion(flags.version),
  });
  const transports = componentTransports({
    connection,
    limit,
    limitOf,
    usesAccounts,
    clock: realClock,
  });
  const metrics = new MetricsRegistry(options.metrics);
  addProcessMetrics(metrics);
  addFeatureMetrics(metrics);
  const manager = createManager({
    ...options.manager,
    clientOptions: { omitEmpty: true },
    toleratesUnservedKinds: true,
    transport: transports.own("shared-informers"),
    transportForAccount: transports.of,
    clock: realClock,
    ticks: () => performance.now(),
    random: systemRandom,
    log,
    metrics,
    host: hostname(),
    ...(flags["leader-elect"] && {
      leaderElection: { ...election(flags), transport: transports.urgent("leader-election") },
    }),
  });
  try {
    await options.add(manager, { authorities: async () => connection.authorities?.() });
    const { health, ready } = manager;
    const server = await openComponentServer({
      name,
      flags,
      log,
      routes: componentRoutes({
        name,
        version: reportedInfo(flags.version),
        metrics,
        health: health.bind(manager),
        ready: ready.bind(manager),
        ...options.pages,
      }),
    });
    try {
      if (server)
        streams.stdout.write(`serving: https://${hostPort(flags["bind-address"], server.port)}\n`);
      await manager.run({ signal });
      return 0;
    } finally {
      await server?.close();
    }
  } catch (error) {
    if (!(error instanceof LeadershipLostError)) throw error;
    log.error("leaderelection lost", error);
    return 1;
  } finally {
    transports.close();
  }
}

const election = (flags: LeaderElectionFlags) => ({
  lease: {
    namespace: flags["leader-elect-resource-namespace"],
    name: flags["leader-elect-resource-name"],
  },
  leaseDurationMs: flags["leader-elect-lease-duration"],
  renewDeadlineMs: flags["leader-elect-renew-deadline"],
  retryPeriodMs: flags["leader-elect-retry-period"],
  releaseOnStop: true,
});
