import { bool, duration, int32, int64, string, stringMap } from "../../../schema/language/field.ts";
import { period } from "./field-kinds.ts";

/** Cgroups, resource managers, limits of pods, and the connections to runtime and API server. */
export const runtimeFields = {
  kubeletCgroups: string(45).doc("The cgroup that the kubelet moves itself to."),
  systemCgroups: string(46).doc(
    "The cgroup that processes outside of any cgroup are moved to; needs cgroupRoot.",
  ),
  cgroupRoot: string(47).doc("The cgroup of all pods; empty for the root."),
  cgroupsPerQOS: bool(48)
    .pointer()
    .default(true)
    .doc("Whether there are cgroups for QoS classes and pods."),
  cgroupDriver: string(49)
    .default("cgroupfs")
    .doc("Who creates the cgroups of pods: cgroupfs or systemd."),
  cpuManagerPolicy: string(50)
    .default("none")
    .doc("How CPUs are assigned to containers: none or static."),
  singleProcessOOMKill: bool(51)
    .pointer()
    .doc("Whether the kernel kills single processes of a container that runs out of memory."),
  cpuManagerPolicyOptions: stringMap(52).doc(
    "Options of the CPU manager's policy, one KEY=VALUE for each occurrence.",
  ),
  cpuManagerReconcilePeriod: period(53)
    .default("10s")
    .doc("When to try again to move running containers to other CPUs, after an error."),
  memoryManagerPolicy: string(54)
    .default("None")
    .doc("How memory is assigned to containers: None or Static."),
  topologyManagerPolicy: string(55)
    .default("none")
    .doc(
      "How CPUs, memory and devices are aligned to NUMA nodes: none, best-effort, restricted or single-numa-node.",
    ),
  topologyManagerScope: string(56)
    .default("container")
    .doc("What is aligned as a whole: container or pod."),
  topologyManagerPolicyOptions: stringMap(57).doc(
    "Options of the topology manager's policy, as KEY=VALUE,….",
  ),
  qosReserved: stringMap(58).doc(
    "The percentage of a resource that is reserved for Guaranteed pods, as memory=50%; needs the feature gate QOSReserved.",
  ),
  runtimeRequestTimeout: period(59)
    .default("2m0s")
    .doc("The timeout of requests to the runtime, except pull, logs, exec and attach."),
  hairpinMode: string(60)
    .default("promiscuous-bridge")
    .doc("Has no effect: the network plugin decides whether a pod reaches itself by a service."),
  maxPods: int32(61).default(110).doc("The maximum number of pods."),
  podCIDR: string(62).doc("The range of pod addresses of a kubelet without API server."),
  podPidsLimit: int64(63)
    .pointer()
    .default(-1)
    .doc("The maximum number of processes in a pod; -1 for what the node has."),
  resolvConf: string(64)
    .pointer()
    .default("/etc/resolv.conf")
    .doc("The resolver file that those of containers are made of; empty for none."),
  runOnce: bool(65).doc("Was removed: must be false."),
  cpuCFSQuota: bool(66)
    .pointer()
    .default(true)
    .doc("Whether CPU limits of containers are enforced."),
  cpuCFSQuotaPeriod: duration(67)
    .pointer()
    .default("100ms")
    .doc("The period in which CPU limits are enforced, from 1ms to 1s."),
  nodeStatusMaxImages: int32(68)
    .pointer()
    .default(50)
    .doc("How many images the status of the node lists; -1 for all."),
  maxOpenFiles: int64(69).default(1_000_000).doc("How many files the kubelet may open."),
  contentType: string(70)
    .default("application/vnd.kubernetes.protobuf")
    .doc("The content type of requests to the API server."),
  kubeAPIQPS: int32(71)
    .pointer()
    .default(50)
    .doc("The average number of requests per second to the API server."),
  kubeAPIBurst: int32(72).default(100).doc("The maximum burst of requests to the API server."),
  serializeImagePulls: bool(73)
    .pointer()
    .default(true)
    .doc("Whether images are pulled one at a time."),
  maxParallelImagePulls: int32(74)
    .pointer()
    .doc("How many images are pulled at a time; absent for no limit."),
};
