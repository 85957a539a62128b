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
  weight: int32(2).pointer().doc("How much its scores count; 1 if not given."),
}).doc("A plugin that takes part, or does not.");
export interface PluginRef extends Infer<typeof PluginRef> {}

export const PluginSet = struct(`${type}.PluginSet`, {
  enabled: list(1, PluginRef).doc("Plugins that take part after those that do by default."),
  disabled: list(2, PluginRef).doc("Plugins that do not; `*` means all that do by default."),
}).doc("The plugins of an extension point.");
export interface PluginSet extends Infer<typeof PluginSet> {}

export const Plugins = struct(`${type}.Plugins`, {
  preEnqueue: message(1, PluginSet).doc("Before a pod is queued."),
  queueSort: message(2, PluginSet).doc("In which order pods are tried."),
  preFilter: message(3, PluginSet).doc("Before nodes are filtered."),
  filter: message(4, PluginSet).doc("Which nodes suit a pod."),
  postFilter: message(5, PluginSet).doc("When none does."),
  preScore: message(6, PluginSet).doc("Before nodes are scored."),
  score: message(7, PluginSet).doc("How well nodes suit a pod."),
  reserve: message(8, PluginSet).doc("When a node is chosen."),
  permit: message(9, PluginSet).doc("Whether the pod may be bound, now or later."),
  preBind: message(10, PluginSet).doc("Before a pod is bound."),
  bind: message(11, PluginSet).doc("Binds a pod."),
  postBind: message(12, PluginSet).doc("After a pod is bound."),
  multiPoint: message(13, PluginSet).doc("At all points at which the plugins can take part."),
  placementGenerate: message(14, PluginSet).doc("Where groups of pods could go."),
  placementScore: message(15, PluginSet).doc("How well such places suit them."),
}).doc("Which plugins take part where.");
export interface Plugins extends Infer<typeof Plugins> {}

export const PluginConfig = struct(`${type}.PluginConfig`, {
  name: string(1).always().expected().doc("The plugin that is told something."),
  args: raw(2).doc("What it is told."),
}).doc("What a plugin is told.");
export interface PluginConfig extends Infer<typeof PluginConfig> {}

export const Profile = struct(`${type}.KubeSchedulerProfile`, {
  schedulerName: string(1).pointer().doc("The name by which pods ask for this profile."),
  percentageOfNodesToScore: int32(2)
    .pointer()
    .doc("After how many nodes that suit a pod the search ends, for this profile."),
  plugins: message(3, Plugins).doc("Which plugins take part where."),
  pluginConfig: list(4, PluginConfig).doc("What plugins are told."),
}).doc("A way in which pods are scheduled.");
export interface Profile extends Infer<typeof Profile> {}

export const LeaderElection = struct(`${type}.LeaderElectionConfiguration`, {
  leaderElect: bool(1).pointer().doc("Whether one of several is elected."),
  leaseDuration: duration(2).doc("How long others wait for a leader."),
  renewDeadline: duration(3).doc("How long a leader tries to stay it."),
  retryPeriod: duration(4).doc("How often it is tried."),
  resourceLock: string(5).doc("By which kind of object: leases."),
  resourceName: string(6).doc("The name of the object."),
  resourceNamespace: string(7).doc("The namespace of the object."),
}).doc("How one of several schedulers is chosen to work.");
export interface LeaderElection extends Infer<typeof LeaderElection> {}

export const ClientConnection = struct(`${type}.ClientConnectionConfiguration`, {
  kubeconfig: string(1).doc("A file that says how to reach the API server."),
  acceptContentTypes: string(2).doc("What is accepted from it."),
  contentType: string(3).doc("What is sent to it."),
  qps: double(4).doc("How many calls are made a second."),
  burst: int32(5).doc("How many may be made at once."),
}).doc("How the API server is called.");
export interface ClientConnection extends Infer<typeof ClientConnection> {}

export const Extender = struct(`${type}.Extender`, {
  urlPrefix: string(1).always().expected().doc("Where it is."),
  filterVerb: string(2).doc("The path at which it filters nodes."),
  preemptVerb: string(3).doc("The path at which it judges preemption."),
  prioritizeVerb: string(4).doc("The path at which it scores nodes."),
  weight: int64(5).doc("How much its scores count."),
  bindVerb: string(6).doc("The path at which it binds pods."),
  enableHTTPS: bool(7).doc("Whether it is called over TLS."),
  tlsConfig: message(
    8,
    struct(`${type}.ExtenderTLSConfig`, {
      insecure: bool(1).doc("Whether its certificate is not verified."),
      serverName: string(2).doc("The name in its certificate."),
      certFile: string(3).doc("A file with the certificate to show to it."),
      keyFile: string(4).doc("A file with the key of that certificate."),
      caFile: string(5).doc("A file with the certificates to trust."),
      certData: bytes(6).doc("The certificate to show to it."),
      keyData: bytes(7).doc("The key of that certificate."),
      caData: bytes(8).doc("The certificates to trust."),
    }).doc("How an extender is called over TLS."),
  ).doc("How it is called over TLS."),
  httpTimeout: duration(9).doc("How long it may take."),
  nodeCacheCapable: bool(10).doc("Whether it knows nodes by their names."),
  managedResources: list(
    11,
    struct(`${type}.ExtenderManagedResource`, {
      name: string(1).always().expected().doc("The name of the resource."),
      ignoredByScheduler: bool(2).doc("Whether the scheduler itself does not count it."),
    }).doc("A resource that an extender manages."),
  ).doc("Resources that it manages: others do not concern it."),
  ignorable: bool(12).doc("Whether pods are scheduled without it when it fails."),
}).doc("A service that takes part in scheduling.");
export interface Extender extends Infer<typeof Extender> {}

export const KubeSchedulerConfiguration = struct(`${type}.KubeSchedulerConfiguration`, {
  apiVersion: string(101).doc("kubescheduler.config.k8s.io/v1"),
  kind: string(102).doc("KubeSchedulerConfiguration"),
  parallelism: int32(1).pointer().doc("How much is done at a time."),
  leaderElection: message(2, LeaderElection).doc("How one of several is chosen to work."),
  clientConnection: message(3, ClientConnection).doc("How the API server is called."),
  enableProfiling: bool(4).pointer().doc("Whether it can be looked into while it runs."),
  enableContentionProfiling: bool(5).pointer().doc("Whether locks can be looked into, too."),
  percentageOfNodesToScore: int32(6)
    .pointer()
    .doc("After how many nodes that suit a pod the search ends; 0 lets their number decide."),
  podInitialBackoffSeconds: int64(7).pointer().doc("How long a pod waits that cannot be placed."),
  podMaxBackoffSeconds: int64(8).pointer().doc("How long it waits at most."),
  profiles: list(9, Profile).doc("The ways in which pods are scheduled."),
  extenders: list(10, Extender).doc("Services that take part."),
  delayCacheUntilActive: bool(11).doc("Whether only the leader keeps caches."),
}).doc("How a scheduler works.");
export interface KubeSchedulerConfiguration extends Infer<typeof KubeSchedulerConfiguration> {}
