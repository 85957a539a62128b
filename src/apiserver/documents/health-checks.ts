import { type Clock, withDeadline } from "../../base/clock.ts";
import type { Store } from "../../store/store.ts";
import type { HealthCheck } from "./health-endpoints.ts";

/** A part of the server that is started once, in this order. */
export type StartUpStep = (typeof startUpSteps)[number];
export const startUpSteps = [
  "cache",
  "admission",
  "bootstrap",
  "allocation",
  "custom",
  "upkeep",
] as const;

/** Which parts of the server have been started. */
export class StartUp {
  readonly #done = new Set<StartUpStep>();

  done(step: StartUpStep): void {
    this.#done.add(step);
  }

  has(step: StartUpStep): boolean {
    return this.#done.has(step);
  }
}

/** The time limits for the store's health check. */
export interface StoreTimeouts {
  readonly healthMs: number;
  readonly readyMs: number;
}

export interface HealthSources {
  readonly store: Store;
  readonly timeouts?: StoreTimeouts | undefined;
  readonly clock: Clock;
  readonly startUp: StartUp;
  /** Whether the cache follows the store. */
  readonly isFollowing: () => boolean;
  readonly isShuttingDown: () => boolean;
  /** Whether this is a server of other APIs, without the objects of a cluster. */
  readonly isExtension: boolean;
  /** Whether it proves its identity to the servers of other APIs by a certificate, which can be renewed. */
  readonly hasProxyClient: boolean;
  /** Whether requests wait for their turn by priority. */
  readonly hasPriorities: boolean;
  /** Checks of what the server uses beside its store. */
  readonly also?: readonly HealthCheck[] | undefined;
  /** Which APIs are not registered yet; undefined when all are. */
  readonly unregistered: () => string | undefined;
}

/** The health checks of the server, with upstream's names and order. */
export function healthChecks(sources: HealthSources): readonly HealthCheck[] {
  const { startUp, isFollowing, isShuttingDown, unregistered, isExtension, also = [] } = sources;
  const hookCheck = ([name, step]: Hook): HealthCheck => ({
    name: `poststarthook/${name}`,
    check: () => (startUp.has(step) ? undefined : "not finished"),
  });
  // As long as upstream waits for etcd.
  const { healthMs, readyMs } = sources.timeouts ?? { healthMs: 2000, readyMs: 2000 };
  return [
    { name: "ping", check: () => undefined },
    { name: "log", check: () => undefined },
    { name: "etcd", check: () => storeFault(sources, healthMs) },
    ...also,
    { name: "etcd-readiness", ofReadiness: true, check: () => storeFault(sources, readyMs) },
    {
      name: "informer-sync",
      ofReadiness: true,
      check: () => (isFollowing() ? undefined : "1 informers not started yet: [*cache]"),
    },
    ...startUpHooks
      .filter(([name]) => !isExtension || anyServers.has(name))
      .filter(([, , part]) => part === undefined || sources[part])
      .map(hookCheck),
    ...(isExtension ? [] : [{ name: "autoregister-completion", check: unregistered }]),
    ...(isExtension ? [] : documentHooks.map(hookCheck)),
    {
      name: "shutdown",
      ofReadiness: true,
      check: () => (isShuttingDown() ? "process is shutting down" : undefined),
    },
  ];
}

type Hook = readonly [hook: string, step: StartUpStep, part?: "hasProxyClient" | "hasPriorities"];

/** Upstream's hooks that do something here, each with the step by which it is done, and the part that it is of. */
const startUpHooks: readonly Hook[] = [
  ["start-apiserver-admission-initializer", "admission"],
  ["generic-apiserver-start-informers", "cache"],
  ["priority-and-fairness-config-consumer", "cache", "hasPriorities"],
  ["priority-and-fairness-filter", "cache", "hasPriorities"],
  ["storage-object-count-tracker-hook", "cache"],
  ["start-apiextensions-informers", "cache"],
  ["start-apiextensions-controllers", "custom"],
  ["crd-informer-synced", "custom"],
  ["start-system-namespaces-controller", "upkeep"],
  ["start-cluster-authentication-info-controller", "upkeep"],
  ["start-kube-apiserver-identity-lease-controller", "upkeep"],
  ["start-kube-apiserver-identity-lease-garbage-collector", "upkeep"],
  ["storage-readiness", "cache"],
  ["start-legacy-token-tracking-controller", "upkeep"],
  ["start-service-ip-repair-controllers", "allocation"],
  ["rbac/bootstrap-roles", "bootstrap"],
  ["scheduling/bootstrap-system-priority-classes", "bootstrap"],
  ["priority-and-fairness-config-producer", "upkeep"],
  ["bootstrap-controller", "upkeep"],
  ["start-kubernetes-service-cidr-controller", "allocation"],
  ["aggregator-reload-proxy-client-cert", "upkeep", "hasProxyClient"],
  ["start-kube-aggregator-informers", "cache"],
  ["apiservice-status-local-available-controller", "upkeep"],
  ["apiservice-status-remote-available-controller", "upkeep"],
  ["apiservice-registration-controller", "upkeep"],
  ["apiservice-discovery-controller", "upkeep"],
  ["kube-apiserver-autoregistration", "upkeep"],
];

/** The hooks of every server, whichever APIs it has. */
const anyServers: ReadonlySet<string> = new Set([
  "start-apiserver-admission-initializer",
  "generic-apiserver-start-informers",
  "storage-object-count-tracker-hook",
  "storage-readiness",
]);

/** OpenAPI documents can be made once the served kinds are known. */
const documentHooks: readonly Hook[] = [
  ["apiservice-openapi-controller", "custom"],
  ["apiservice-openapiv3-controller", "custom"],
];

async function storeFault(
  { store, clock }: HealthSources,
  ms: number,
): Promise<string | undefined> {
  try {
    await withDeadline({ clock, ms }, () => store.currentRevision());
    return undefined;
  } catch (error) {
    return `error getting data from etcd: ${error instanceof Error ? error.message : String(error)}`;
  }
}
