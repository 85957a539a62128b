import {
  boolFlag,
  durationFlag,
  type Flag,
  floatFlag,
  intFlag,
  stringFlag,
  stringsFlag,
} from "../../../../cli/flag.ts";
import { controllerModules } from "../../../../controllers/controller-modules.generated.ts";
import { knownControllers } from "../../../../controllers/known-controllers.ts";
import { leaderElectionFlags } from "../../../flags/leader-election-flags.ts";
import { profilingFlags } from "../../../flags/profiling-flags.ts";
import { section, withoutEffect } from "../../../flags/server-flag.ts";
import { versionFlags } from "../../../flags/version-flags.ts";
import { absent, type ControllerFlag, shownAt } from "./controller-flag.ts";

const routes = "node-route-controller";

/** A flag of cloud providers, whose controllers run elsewhere since v1.31. */
const cloud = <T>(field: string, flag: Flag<T>): ControllerFlag<T> => ({
  ...withoutEffect("cloud providers are not supported", flag),
  field: `KubeCloudShared.${field}`,
});

const list = (names: readonly string[]): string => names.join(", ");
const present = new Set(controllerModules.map(({ name }) => name));

const controllersUsage = `the controllers to run: '*' for all that are on by default, 'foo' for one, '-foo' to exclude one; the first item that matches a controller wins.
There are: ${list(knownControllers.filter(({ name }) => present.has(name)).map(({ name }) => name))}.
Known, and not part of this version yet: ${list(knownControllers.filter(({ name }) => !present.has(name)).map(({ name }) => name))}.
Off by default: ${list(knownControllers.filter((one) => one.isOffByDefault).map(({ name }) => name))}`;

const election = leaderElectionFlags("kube-controller-manager");
const elected = <N extends keyof typeof election>(name: N, field: string) => ({
  ...election[name],
  field: `Generic.LeaderElection.${field}`,
});

const profiling = profilingFlags({ profiling: true, contention: false });

export const debuggingFlags = section("Debugging flags", {
  profiling: {
    ...profiling.profiling,
    field: "Generic.Debugging.enableProfiling",
  },
  "contention-profiling": {
    ...profiling["contention-profiling"],
    field: "Generic.Debugging.enableContentionProfiling",
  },
});

export const leaderMigrationFlags = section("Leader-migration flags", {
  "enable-leader-migration": {
    ...withoutEffect(
      "leader migration is not supported",
      boolFlag({ usage: "whether to migrate controllers to another process" }),
    ),
    field: "Generic.LeaderMigrationEnabled",
  },
  "leader-migration-config": withoutEffect(
    "leader migration is not supported",
    stringFlag({ usage: "the `FILE` with a LeaderMigrationConfiguration" }),
  ),
});

export const genericFlags = section("Generic flags", {
  controllers: shownAt(
    "Generic.Controllers",
    stringsFlag({ usage: controllersUsage, default: ["*"] }),
  ),
  "use-service-account-credentials": shownAt(
    "KubeCloudShared.UseServiceAccountCredentials",
    boolFlag({
      usage:
        "whether each controller uses its own service account in kube-system, which is created if missing; if not, all use the credentials of the kubeconfig",
    }),
  ),
  "kube-api-qps": shownAt(
    "Generic.ClientConnection.qps",
    floatFlag({
      usage: "the average number of requests per second to the API server; negative for no limit",
      default: 20,
    }),
  ),
  "kube-api-burst": shownAt(
    "Generic.ClientConnection.burst",
    intFlag({ usage: "the maximum burst of requests to the API server", default: 30 }),
  ),
  "kube-api-content-type": {
    ...withoutEffect(
      "requests to the API server are encoded as JSON",
      stringFlag({
        usage: "the content type of requests",
        default: "application/vnd.kubernetes.protobuf",
      }),
    ),
    field: "Generic.ClientConnection.contentType",
  },
  "min-resync-period": {
    ...withoutEffect(
      "caches receive every change, and are not resynced periodically",
      durationFlag({ usage: "how often caches are resynced", default: 12 * 3_600_000 }),
    ),
    field: "Generic.MinResyncPeriod",
  },
  "controller-start-interval": shownAt(
    "Generic.ControllerStartInterval",
    durationFlag({
      usage: "each controller starts after a random time between this one and twice as long",
    }),
  ),
  "controller-shutdown-timeout": durationFlag({
    usage: "how long running work may take to finish after a signal to stop",
    default: 10_000,
  }),
  "configure-cloud-routes": absent(
    routes,
    "KubeCloudShared.ConfigureCloudRoutes",
    boolFlag({ usage: "whether to configure routes at the cloud provider", default: true }),
  ),
  "route-reconciliation-period": absent(
    routes,
    "KubeCloudShared.RouteReconciliationPeriod",
    durationFlag({ usage: "how often routes are reconciled", default: 10_000 }),
  ),
  "cluster-name": cloud(
    "ClusterName",
    stringFlag({ usage: "the prefix of instance names", default: "kubernetes" }),
  ),
  "cloud-provider": cloud(
    "CloudProvider.Name",
    stringFlag({ usage: "the cloud provider: external, or empty" }),
  ),
  "cloud-config": cloud(
    "CloudProvider.CloudConfigFile",
    stringFlag({ usage: "the `FILE` with the configuration of the cloud provider" }),
  ),
  "external-cloud-volume-plugin": cloud(
    "ExternalCloudVolumePlugin",
    stringFlag({ usage: "the volume plugin of an external cloud provider" }),
  ),
  "allow-untagged-cloud": cloud(
    "AllowUntaggedCloud",
    boolFlag({
      usage: "whether instances need no cluster tag",
      deprecated:
        "This flag is deprecated and will be removed in a future release. A cluster-id will be required on cloud instances.",
    }),
  ),
  "node-sync-period": cloud(
    "NodeSyncPeriod",
    durationFlag({
      usage: "not used",
      deprecated: "This flag is currently no-op and will be deleted.",
    }),
  ),
  "leader-elect": elected("leader-elect", "leaderElect"),
  "leader-elect-lease-duration": elected("leader-elect-lease-duration", "leaseDuration"),
  "leader-elect-renew-deadline": elected("leader-elect-renew-deadline", "renewDeadline"),
  "leader-elect-retry-period": elected("leader-elect-retry-period", "retryPeriod"),
  "leader-elect-resource-lock": elected("leader-elect-resource-lock", "resourceLock"),
  "leader-elect-resource-name": elected("leader-elect-resource-name", "resourceName"),
  "leader-elect-resource-namespace": elected(
    "leader-elect-resource-namespace",
    "resourceNamespace",
  ),
  ...versionFlags,
});

export const miscFlags = section("Misc flags", {
  kubeconfig: shownAt(
    "Generic.ClientConnection.kubeconfig",
    stringFlag({
      usage:
        "the kubeconfig `FILE` with the API server and the credentials (default: the in-cluster configuration)",
    }),
  ),
  master: stringFlag({ usage: "the `URL` of the API server, which overrides the kubeconfig" }),
});
