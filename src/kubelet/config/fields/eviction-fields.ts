import {
  bool,
  duration,
  int32,
  mapOf,
  named,
  string,
  stringMap,
  value,
} from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { boolType } from "../../../schema/language/type.ts";
import { period, typePrefix } from "./field-kinds.ts";

const MemorySwapConfiguration = struct(`${typePrefix}.MemorySwapConfiguration`, {
  swapBehavior: string(1).doc(
    "Whether containers may swap: NoSwap, the default, or LimitedSwap, in proportion to their memory requests.",
  ),
}).doc("The swap space of containers.");

/** Eviction, swap, the kernel, feature gates, and the logs of containers. */
export const evictionFields = {
  evictionHard: stringMap(75).doc(
    "Pods are evicted at once where less is left, as memory.available<100Mi,….",
  ),
  evictionSoft: stringMap(76).doc(
    "Pods are evicted where less is left for a grace period, as memory.available<300Mi,….",
  ),
  evictionSoftGracePeriod: stringMap(77).doc(
    "How long a soft threshold may be crossed, as memory.available=1m30s,….",
  ),
  evictionPressureTransitionPeriod: period(78)
    .default("5m0s")
    .doc("How long a pressure condition of the node stays true at least."),
  evictionMaxPodGracePeriod: int32(79).doc(
    "The longest grace period in seconds of pods that a soft threshold evicts; negative for their own.",
  ),
  evictionMinimumReclaim: stringMap(80).doc(
    "How much an eviction frees beyond the threshold, as imagefs.available=2Gi,….",
  ),
  mergeDefaultEvictionSettings: bool(81)
    .pointer()
    .default(false)
    .doc("Whether evictionHard keeps the defaults of signals that it does not name."),
  podsPerCore: int32(82).doc("The maximum number of pods per CPU; 0 for no limit but maxPods."),
  enableControllerAttachDetach: bool(83)
    .pointer()
    .default(true)
    .doc("Whether volumes are attached by the controller manager."),
  protectKernelDefaults: bool(84).doc(
    "Whether kernel parameters with unexpected values are an error; otherwise they are set.",
  ),
  makeIPTablesUtilChains: bool(85)
    .pointer()
    .default(true)
    .doc("Whether the iptables chain KUBE-IPTABLES-HINT is created."),
  iptablesMasqueradeBit: int32(86).pointer().default(14).doc("Has no effect since v1.28."),
  iptablesDropBit: int32(87).pointer().default(15).doc("Has no effect since v1.28."),
  featureGates: mapOf(88, boolType).doc("Feature gates, as NAME=BOOL,…."),
  failSwapOn: bool(89)
    .pointer()
    .default(true)
    .doc("Whether the kubelet refuses to start on a node with swap space."),
  memorySwap: value(90, MemorySwapConfiguration).doc("The swap space of containers."),
  containerLogMaxSize: string(91)
    .default("10Mi")
    .doc("The size of a container's log from which on it is rotated."),
  containerLogMaxFiles: int32(92)
    .pointer()
    .default(5)
    .doc("How many log files a container has at most; 2 or more."),
  containerLogMaxWorkers: int32(93)
    .pointer()
    .default(1)
    .doc("How many logs are rotated at a time."),
  containerLogMonitorInterval: duration(94)
    .pointer()
    .default("10s")
    .doc("How often the sizes of logs are looked at; 3s or more."),
  configMapAndSecretChangeDetectionStrategy: named(95, "v1beta1.ResourceChangeDetectionStrategy")
    .known("Get", "Cache", "Watch")
    .default("Watch")
    .doc("How changes of config maps and secrets are found: Get, Cache or Watch."),
};
