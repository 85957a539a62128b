import { bool, int32, named, string, strings } from "../../../schema/language/field.ts";
import { period } from "./field-kinds.ts";

/** Image pulls, events, health, DNS, the status of the node, and image garbage collection. */
export const nodeFields = {
  registryPullQPS: int32(23)
    .pointer()
    .default(5)
    .doc("The average number of image pulls per second; 0 for no limit."),
  registryBurst: int32(24).default(10).doc("The maximum burst of image pulls."),
  imagePullCredentialsVerificationPolicy: named(
    25,
    "v1beta1.ImagePullCredentialsVerificationPolicy",
  )
    .known(
      "NeverVerify",
      "NeverVerifyPreloadedImages",
      "NeverVerifyAllowlistedImages",
      "AlwaysVerify",
    )
    .doc("Which images that are on the node already need the pull credentials of a pod."),
  preloadedImagesVerificationAllowlist: strings(26)
    .set()
    .doc("Images that need no credentials with NeverVerifyAllowlistedImages; /* ends a prefix."),
  eventRecordQPS: int32(27)
    .pointer()
    .default(50)
    .doc("The average number of events per second; 0 for no limit."),
  eventBurst: int32(28).default(100).doc("The maximum burst of events."),
  enableDebuggingHandlers: bool(29)
    .pointer()
    .default(true)
    .doc("Whether exec, attach, logs and port-forward are served."),
  enableContentionProfiling: bool(30).doc("Whether profiling includes lock contention."),
  healthzPort: int32(31).pointer().default(10248).doc("The port of /healthz; 0 for none."),
  healthzBindAddress: string(32).default("127.0.0.1").doc("The IP address to serve /healthz on."),
  oomScoreAdj: int32(33)
    .pointer()
    .default(-999)
    .doc("The oom_score_adj of the kubelet, from -1000 to 1000."),
  clusterDomain: string(34).doc(
    "The DNS domain of the cluster, which containers search beside the domains of the node.",
  ),
  clusterDNS: strings(35).doc(
    "The IP addresses of the cluster's DNS servers, for pods with dnsPolicy ClusterFirst; all must serve the same names.",
  ),
  streamingConnectionIdleTimeout: period(36).default("4h0m0s").doc("Has no effect since v1.34."),
  nodeStatusUpdateFrequency: period(37)
    .default("10s")
    .doc("How often the status of the node is computed; it is written if it has changed."),
  nodeStatusReportFrequency: period(38).doc(
    "How often the status of the node is written if it has not changed.",
  ),
  nodeLeaseDurationSeconds: int32(39).default(40).doc("The duration of the node's lease."),
  imageMinimumGCAge: period(40).default("2m0s").doc("How long an unused image is kept at least."),
  imageMaximumGCAge: period(41).doc("How long an unused image is kept at most; 0s for no limit."),
  imageGCHighThresholdPercent: int32(42)
    .pointer()
    .default(85)
    .doc("The disk usage in percent from which on images are removed; 100 removes none."),
  imageGCLowThresholdPercent: int32(43)
    .pointer()
    .default(80)
    .doc("The disk usage in percent down to which images are removed."),
  volumeStatsAggPeriod: period(44)
    .default("1m0s")
    .doc("How often the disk usage of volumes is computed; negative for never."),
};
