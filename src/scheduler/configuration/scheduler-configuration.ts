import {
  bool,
  bytes,
  double,
  duration,
  int32,
  int64,
  list,
  message,
  raw,
  string,
} from "../../schema/language/field.ts";
import { type Infer, struct } from "../../schema/language/struct.ts";

const type = "io.k8s.kube-scheduler.config.v1";

export const PluginRef = struct(`${type}.Plugin`, {
  name: string(1).always().expected().doc("The name of the plugin."),
  weight: int32(2).pointer().doc("The weight of its scores. Default: 1."),
}).doc("A plugin to enable or disable.");
export interface PluginRef extends Infer<typeof PluginRef> {}

export const PluginSet = struct(`${type}.PluginSet`, {
  enabled: list(1, PluginRef).doc("Plugins to enable after the default ones."),
  disabled: list(2, PluginRef).doc("Default plugins to disable; `*` disables all of them."),
}).doc("The plugins of an extension point.");
export interface PluginSet extends Infer<typeof PluginSet> {}

export const Plugins = struct(`${type}.Plugins`, {
  preEnqueue: message(1, PluginSet).doc("Run before a pod enters the queue."),
  queueSort: message(2, PluginSet).doc("Orders the queue."),
  preFilter: message(3, PluginSet).doc("Run before nodes are filtered."),
  filter: message(4, PluginSet).doc("Reject nodes that do not fit a pod."),
  postFilter: message(5, PluginSet).doc("Run if no node fits."),
  preScore: message(6, PluginSet).doc("Run before nodes are scored."),
  score: message(7, PluginSet).doc("Score nodes."),
  reserve: message(8, PluginSet).doc("Reserve resources on the chosen node."),
  permit: message(9, PluginSet).doc("Allow, reject or delay the binding."),
  preBind: message(10, PluginSet).doc("Run before a pod is bound."),
  bind: message(11, PluginSet).doc("Bind a pod."),
  postBind: message(12, PluginSet).doc("Run after a pod was bound."),
  multiPoint: message(13, PluginSet).doc(
    "Plugins to enable or disable at all of their extension points.",
  ),
  placementGenerate: message(14, PluginSet).doc("Find placements of pod groups."),
  placementScore: message(15, PluginSet).doc("Score placements of pod groups."),
}).doc("The plugins of each extension point.");
export interface Plugins extends Infer<typeof Plugins> {}

export const PluginConfig = struct(`${type}.PluginConfig`, {
  name: string(1).always().expected().doc("The name of the plugin."),
  args: raw(2).doc("The arguments of the plugin."),
}).doc("The arguments of a plugin.");
export interface PluginConfig extends Infer<typeof PluginConfig> {}

export const Profile = struct(`${type}.KubeSchedulerProfile`, {
  schedulerName: string(1).pointer().doc("The schedulerName of pods of this profile."),
  percentageOfNodesToScore: int32(2)
    .pointer()
    .doc("The percentage of nodes that must fit before the search ends, for this profile."),
  plugins: message(3, Plugins).doc("The plugins of each extension point."),
  pluginConfig: list(4, PluginConfig).doc("The arguments of plugins."),
}).doc("A profile: plugins and their arguments.");
export interface Profile extends Infer<typeof Profile> {}

export const LeaderElection = struct(`${type}.LeaderElectionConfiguration`, {
  leaderElect: bool(1).pointer().doc("Whether leader election is enabled."),
  leaseDuration: duration(2).doc("How long followers wait before they take over."),
  renewDeadline: duration(3).doc("How long the leader tries to renew its lease."),
  retryPeriod: duration(4).doc("The interval between attempts."),
  resourceLock: string(5).doc("The resource of the lock: leases."),
  resourceName: string(6).doc("The name of the lock."),
  resourceNamespace: string(7).doc("The namespace of the lock."),
}).doc("Leader election among several schedulers.");
export interface LeaderElection extends Infer<typeof LeaderElection> {}

export const ClientConnection = struct(`${type}.ClientConnectionConfiguration`, {
  kubeconfig: string(1).doc("The path of a kubeconfig file."),
  acceptContentTypes: string(2).doc("The accepted content types."),
  contentType: string(3).doc("The content type of requests."),
  qps: double(4).doc("Average requests per second."),
  burst: int32(5).doc("Requests that may be sent at once."),
}).doc("The connection to the API server.");
export interface ClientConnection extends Infer<typeof ClientConnection> {}

export const Extender = struct(`${type}.Extender`, {
  urlPrefix: string(1).always().expected().doc("The URL of the extender."),
  filterVerb: string(2).doc("The path of filter requests."),
  preemptVerb: string(3).doc("The path of preemption requests."),
  prioritizeVerb: string(4).doc("The path of score requests."),
  weight: int64(5).doc("The weight of its scores."),
  bindVerb: string(6).doc("The path of bind requests."),
  enableHTTPS: bool(7).doc("Whether requests use TLS."),
  tlsConfig: message(
    8,
    struct(`${type}.ExtenderTLSConfig`, {
      insecure: bool(1).doc("Skips the verification of its certificate."),
      serverName: string(2).doc("The server name in its certificate."),
      certFile: string(3).doc("The path of the client certificate."),
      keyFile: string(4).doc("The path of the client key."),
      caFile: string(5).doc("The path of the CA certificates."),
      certData: bytes(6).doc("The client certificate."),
      keyData: bytes(7).doc("The client key."),
      caData: bytes(8).doc("The CA certificates."),
    }).doc("TLS settings of an extender."),
  ).doc("TLS settings of the extender."),
  httpTimeout: duration(9).doc("The timeout of requests."),
  nodeCacheCapable: bool(10).doc(
    "Whether the extender caches nodes, so that requests contain only names.",
  ),
  managedResources: list(
    11,
    struct(`${type}.ExtenderManagedResource`, {
      name: string(1).always().expected().doc("The name of the resource."),
      ignoredByScheduler: bool(2).doc("Whether the scheduler itself ignores it."),
    }).doc("A resource that an extender manages."),
  ).doc("The resources that it manages; pods that request none of them skip the extender."),
  ignorable: bool(12).doc("Whether pods are scheduled without it when it fails."),
}).doc("A webhook that takes part in scheduling.");
export interface Extender extends Infer<typeof Extender> {}

export const KubeSchedulerConfiguration = struct(`${type}.KubeSchedulerConfiguration`, {
  apiVersion: string(101).doc("kubescheduler.config.k8s.io/v1"),
  kind: string(102).doc("KubeSchedulerConfiguration"),
  parallelism: int32(1).pointer().doc("The number of parallel operations."),
  leaderElection: message(2, LeaderElection).doc("Leader election among several schedulers."),
  clientConnection: message(3, ClientConnection).doc("The connection to the API server."),
  enableProfiling: bool(4).pointer().doc("Whether profiling is served."),
  enableContentionProfiling: bool(5).pointer().doc("Whether profiling includes lock contention."),
  percentageOfNodesToScore: int32(6)
    .pointer()
    .doc(
      "The percentage of nodes that must fit before the search ends; 0 adapts it to their number.",
    ),
  podInitialBackoffSeconds: int64(7).pointer().doc("The first backoff of an unschedulable pod."),
  podMaxBackoffSeconds: int64(8).pointer().doc("The longest backoff of an unschedulable pod."),
  profiles: list(9, Profile).doc("The profiles."),
  extenders: list(10, Extender).doc("The extenders."),
  delayCacheUntilActive: bool(11).doc("Whether only the leader runs informers."),
}).doc("The configuration of a scheduler.");
export interface KubeSchedulerConfiguration extends Infer<typeof KubeSchedulerConfiguration> {}
