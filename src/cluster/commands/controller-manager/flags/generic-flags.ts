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
import { section, withoutEffect } from "../../../flags/server-flag.ts";
import { versionFlags } from "../../../flags/version-flags.ts";
import { absent, type ControllerFlag, shownAt } from "./controller-flag.ts";

const ipam = "node-ipam-controller";
const routes = "node-route-controller";

/** A flag of providers of machines, whose controllers run elsewhere since v1.31. */
const cloud = <T>(field: string, flag: Flag<T>): ControllerFlag<T> => ({
  ...withoutEffect("there are no cloud providers here", flag),
  field: `KubeCloudShared.${field}`,
});

const list = (names: readonly string[]): string => names.join(", ");
const present = new Set(controllerModules.map(({ name }) => name));

const controllersUsage = `which controllers run: '*' stands for all that are on by default, 'foo' for one, '-foo' takes one out; the first that speaks of a controller counts.
There are: ${list(knownControllers.filter(({ name }) => present.has(name)).map(({ name }) => name))}.
Known, and not part of this version yet: ${list(knownControllers.filter(({ name }) => !present.has(name)).map(({ name }) => name))}.
Off by default: ${list(knownControllers.filter((one) => one.isOffByDefault).map(({ name }) => name))}`;

const election = leaderElectionFlags("kube-controller-manager");
const elected = <N extends keyof typeof election>(name: N, field: string) => ({
  ...election[name],
  field: `Generic.LeaderElection.${field}`,
});

export const debuggingFlags = section("Debugging flags", {
  profiling: {
    ...withoutEffect(
      "there is nothing at /debug/pprof",
      boolFlag({ usage: "whether /debug/pprof is served", default: true }),
    ),
    field: "Generic.Debugging.enableProfiling",
  },
  "contention-profiling": {
    ...withoutEffect(
      "there is nothing at /debug/pprof",
      boolFlag({ usage: "whether waiting is profiled, too" }),
    ),
    field: "Generic.Debugging.enableContentionProfiling",
  },
});

export const leaderMigrationFlags = section("Leader-migration flags", {
  "enable-leader-migration": {
    ...withoutEffect(
      "there is no other program that controllers could move to",
      boolFlag({ usage: "whether controllers may move to another program" }),
    ),
    field: "Generic.LeaderMigrationEnabled",
  },
  "leader-migration-config": withoutEffect(
    "there is no other program that controllers could move to",
    stringFlag({ usage: "the `FILE` that says which" }),
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
        "whether each controller calls in the name of a service account of its own in kube-system, made where it is missing; if not, all call in the name of the kubeconfig's user",
    }),
  ),
  "kube-api-qps": shownAt(
    "Generic.ClientConnection.qps",
    floatFlag({
      usage:
        "how many calls a second are made of the API server in the long run; any number if negative",
      default: 20,
    }),
  ),
  "kube-api-burst": shownAt(
    "Generic.ClientConnection.burst",
    intFlag({ usage: "how many calls are made at once after a pause", default: 30 }),
  ),
  "kube-api-content-type": {
    ...withoutEffect(
      "JSON is spoken with the API server",
      stringFlag({
        usage: "how objects are encoded in calls",
        default: "application/vnd.kubernetes.protobuf",
      }),
    ),
    field: "Generic.ClientConnection.contentType",
  },
  "min-resync-period": {
    ...withoutEffect(
      "caches follow every change, and what they hold is not worked on anew by the clock",
      durationFlag({ usage: "how often everything is worked on anew", default: 12 * 3_600_000 }),
    ),
    field: "Generic.MinResyncPeriod",
  },
  "controller-start-interval": {
    ...withoutEffect(
      "controllers start together",
      durationFlag({ usage: "how long to wait between the starts of controllers" }),
    ),
    field: "Generic.ControllerStartInterval",
  },
  "controller-shutdown-timeout": durationFlag({
    usage: "how long what is under way may take to end once asked to stop",
    default: 10_000,
  }),
  "allocate-node-cidrs": absent(
    ipam,
    "KubeCloudShared.AllocateNodeCIDRs",
    boolFlag({ usage: "whether nodes get ranges of addresses for pods" }),
  ),
  "cluster-cidr": absent(
    ipam,
    "KubeCloudShared.ClusterCIDR",
    stringFlag({ usage: "the range that these are taken from" }),
  ),
  "cidr-allocator-type": absent(
    ipam,
    "KubeCloudShared.CIDRAllocatorType",
    stringFlag({ usage: "how they are chosen", default: "RangeAllocator" }),
  ),
  "configure-cloud-routes": absent(
    routes,
    "KubeCloudShared.ConfigureCloudRoutes",
    boolFlag({ usage: "whether the cloud provider is told of them", default: true }),
  ),
  "route-reconciliation-period": absent(
    routes,
    "KubeCloudShared.RouteReconciliationPeriod",
    durationFlag({ usage: "how often it is told", default: 10_000 }),
  ),
  "cluster-name": cloud(
    "ClusterName",
    stringFlag({ usage: "what names of machines begin with", default: "kubernetes" }),
  ),
  "cloud-provider": cloud(
    "CloudProvider.Name",
    stringFlag({ usage: "who provides machines: external, or empty" }),
  ),
  "cloud-config": cloud(
    "CloudProvider.CloudConfigFile",
    stringFlag({ usage: "the `FILE` for the provider" }),
  ),
  "external-cloud-volume-plugin": cloud(
    "ExternalCloudVolumePlugin",
    stringFlag({ usage: "the plugin for volumes where machines are provided elsewhere" }),
  ),
  "allow-untagged-cloud": cloud(
    "AllowUntaggedCloud",
    boolFlag({
      usage: "whether machines need no tag of the cluster",
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
        "the `FILE`, a kubeconfig, that says where the API server is and who this is (default: as a pod reaches its cluster)",
    }),
  ),
  master: stringFlag({ usage: "the `URL` of the API server, instead of that of the kubeconfig" }),
});
