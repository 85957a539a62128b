import { resourceList } from "../../../api/core/v1/resource-list.ts";
import { Taint } from "../../../api/core/v1/scheduling/taint.ts";
import {
  bool,
  double,
  duration,
  int32,
  int64,
  list,
  message,
  named,
  string,
  stringMap,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { embeddedEngine, period, typePrefix } from "./field-kinds.ts";
import { LoggingConfiguration, TracingConfiguration } from "./logging.ts";

const ShutdownGracePeriodByPodPriority = struct(`${typePrefix}.ShutdownGracePeriodByPodPriority`, {
  priority: int32(1).always().expected().doc("The lowest priority of these pods."),
  shutdownGracePeriodSeconds: int64(2).always().expected().doc("Their grace period in seconds."),
}).doc("The grace period of pods at a shutdown, by priority.");

const CrashLoopBackOffConfig = struct(`${typePrefix}.CrashLoopBackOffConfig`, {
  maxContainerRestartPeriod: duration(1)
    .pointer()
    .doc("The longest delay of a restart, from 1s to 300s."),
}).doc("The delay of restarts.");

const MemoryReservation = struct(`${typePrefix}.MemoryReservation`, {
  numaNode: int32(1).always().expected().doc("The number of the NUMA node."),
  limits: resourceList(2).doc("The reserved memory and huge pages."),
}).doc("The reserved memory of a NUMA node.");

const UserNamespaces = struct(`${typePrefix}.UserNamespaces`, {
  idsPerPod: int64(1).pointer().doc("How many user and group IDs a pod has; a multiple of 65536."),
}).doc("The user namespaces of pods.");

/** Reserved resources, logging, shutdown, memory, registration, and the runtime. */
export const systemFields = {
  systemReserved: stringMap(96).doc(
    "Resources that are reserved for the system, as cpu=200m,memory=500Mi,ephemeral-storage=1Gi,pid=1000.",
  ),
  kubeReserved: stringMap(97).doc(
    "Resources that are reserved for Kubernetes, as cpu=200m,memory=500Mi,ephemeral-storage=1Gi,pid=1000.",
  ),
  reservedSystemCPUs: string(98).doc(
    "CPUs that are reserved for the system and Kubernetes, as 0-3,8; replaces their reserved amounts of cpu.",
  ),
  showHiddenMetricsForVersion: string(99).doc("The version whose hidden metrics to show."),
  systemReservedCgroup: string(100).doc("The cgroup that systemReserved limits."),
  kubeReservedCgroup: string(101).doc("The cgroup that kubeReserved limits."),
  enforceNodeAllocatable: strings(102)
    .default(["pods"])
    .doc(
      "Whose resources are limited: pods, system-reserved, system-reserved-compressible, kube-reserved, kube-reserved-compressible; or none.",
    ),
  allowedUnsafeSysctls: strings(103).doc(
    "Unsafe kernel parameters that pods may set, by name or by a prefix that ends in *.",
  ),
  volumePluginDir: string(104)
    .default("/usr/libexec/kubernetes/kubelet-plugins/volume/exec/")
    .doc("The folder of volume plugins."),
  providerID: string(105).doc("The ID by which a cloud provider knows the node."),
  kernelMemcgNotification: bool(106).doc(
    "Whether the kernel tells when memory thresholds are crossed.",
  ),
  logging: value(107, LoggingConfiguration).doc("How the log is written."),
  enableSystemLogHandler: bool(108)
    .pointer()
    .default(true)
    .doc("Whether the logs of the system are served under /logs/."),
  enableSystemLogQuery: bool(109)
    .pointer()
    .default(false)
    .doc("Whether the logs of services can be queried under /logs/."),
  shutdownGracePeriod: period(110).doc(
    "How long a shutdown of the node is delayed for its pods; 0s for not at all.",
  ),
  shutdownGracePeriodCriticalPods: period(111).doc(
    "The part of shutdownGracePeriod that is left for critical pods.",
  ),
  shutdownGracePeriodByPodPriority: list(112, ShutdownGracePeriodByPodPriority).doc(
    "The grace periods of pods at a shutdown, by priority.",
  ),
  crashLoopBackOff: value(113, CrashLoopBackOffConfig).doc("The delay of restarts."),
  reservedMemory: list(114, MemoryReservation).doc(
    "Memory of NUMA nodes that is reserved, as 0:memory=1Gi,hugepages-1Gi=2Gi;1:memory=1Gi.",
  ),
  enableProfilingHandler: bool(115).pointer().default(true).doc("Whether /debug/pprof is served."),
  enableDebugFlagsHandler: bool(116)
    .pointer()
    .default(true)
    .doc("Whether /debug/flags/v is served."),
  seccompDefault: bool(117)
    .pointer()
    .default(false)
    .doc("Whether RuntimeDefault is the default seccomp profile."),
  memoryThrottlingFactor: double(118)
    .pointer()
    .default(0.9)
    .doc("The part of a memory limit at which containers are throttled."),
  memoryReservationPolicy: named(119, "v1beta1.MemoryReservationPolicy")
    .known("None", "TieredReservation")
    .default("None")
    .doc("Whether memory requests are protected from reclaim: None or TieredReservation."),
  registerWithTaints: list(120, Taint).doc(
    "The taints with which the node is registered, as KEY=VALUE:EFFECT,….",
  ),
  registerNode: bool(121)
    .pointer()
    .default(true)
    .doc("Whether the kubelet registers its node with the API server."),
  tracing: message(122, TracingConfiguration).doc("Where traces are sent."),
  localStorageCapacityIsolation: bool(123)
    .pointer()
    .default(true)
    .doc("Whether local ephemeral storage is a resource that is limited."),
  containerRuntimeEndpoint: string(124)
    .default(embeddedEngine)
    .doc(
      "The socket of the container runtime, as unix:///PATH; wherry is the engine in this process.",
    ),
  imageServiceEndpoint: string(125).doc(
    "The socket of the image service, as unix:///PATH; empty for that of the runtime.",
  ),
  failCgroupV1: bool(126)
    .pointer()
    .default(true)
    .doc("Whether the kubelet refuses to start on a node with cgroup v1."),
  userNamespaces: message(127, UserNamespaces).doc("The user namespaces of pods."),
};
