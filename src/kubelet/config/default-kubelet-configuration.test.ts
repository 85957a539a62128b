import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  defaultKubeletConfiguration,
  legacyKubeletConfiguration,
} from "./default-kubelet-configuration.ts";
import { testGates } from "./feature-gates.test-support.ts";

const defaults = {
  kind: "KubeletConfiguration",
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  enableServer: true,
  podLogsDir: "/var/log/pods",
  syncFrequency: "1m0s",
  fileCheckFrequency: "20s",
  httpCheckFrequency: "20s",
  address: "0.0.0.0",
  port: 10250,
  authentication: {
    x509: {},
    webhook: { enabled: true, cacheTTL: "2m0s" },
    anonymous: { enabled: false },
  },
  authorization: {
    mode: "Webhook",
    webhook: { cacheAuthorizedTTL: "5m0s", cacheUnauthorizedTTL: "30s" },
  },
  registryPullQPS: 5,
  registryBurst: 10,
  imagePullCredentialsVerificationPolicy: "NeverVerifyPreloadedImages",
  eventRecordQPS: 50,
  eventBurst: 100,
  enableDebuggingHandlers: true,
  healthzPort: 10248,
  healthzBindAddress: "127.0.0.1",
  oomScoreAdj: -999,
  streamingConnectionIdleTimeout: "4h0m0s",
  nodeStatusUpdateFrequency: "10s",
  nodeStatusReportFrequency: "5m0s",
  nodeLeaseDurationSeconds: 40,
  imageMinimumGCAge: "2m0s",
  imageMaximumGCAge: "0s",
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  volumeStatsAggPeriod: "1m0s",
  cgroupsPerQOS: true,
  cgroupDriver: "cgroupfs",
  cpuManagerPolicy: "none",
  cpuManagerReconcilePeriod: "10s",
  memoryManagerPolicy: "None",
  topologyManagerPolicy: "none",
  topologyManagerScope: "container",
  runtimeRequestTimeout: "2m0s",
  hairpinMode: "promiscuous-bridge",
  maxPods: 110,
  podPidsLimit: -1,
  resolvConf: "/etc/resolv.conf",
  cpuCFSQuota: true,
  cpuCFSQuotaPeriod: "100ms",
  nodeStatusMaxImages: 50,
  maxOpenFiles: 1_000_000,
  contentType: "application/vnd.kubernetes.protobuf",
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  serializeImagePulls: true,
  evictionPressureTransitionPeriod: "5m0s",
  mergeDefaultEvictionSettings: false,
  enableControllerAttachDetach: true,
  makeIPTablesUtilChains: true,
  iptablesMasqueradeBit: 14,
  iptablesDropBit: 15,
  failSwapOn: true,
  memorySwap: {},
  containerLogMaxSize: "10Mi",
  containerLogMaxFiles: 5,
  containerLogMaxWorkers: 1,
  containerLogMonitorInterval: "10s",
  configMapAndSecretChangeDetectionStrategy: "Watch",
  enforceNodeAllocatable: ["pods"],
  volumePluginDir: "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
  logging: {
    format: "text",
    flushFrequency: "5s",
    verbosity: 0,
    options: { text: { infoBufferSize: "0" }, json: { infoBufferSize: "0" } },
  },
  enableSystemLogHandler: true,
  enableSystemLogQuery: false,
  shutdownGracePeriod: "0s",
  shutdownGracePeriodCriticalPods: "0s",
  crashLoopBackOff: { maxContainerRestartPeriod: "5m0s" },
  enableProfilingHandler: true,
  enableDebugFlagsHandler: true,
  seccompDefault: false,
  memoryThrottlingFactor: 0.9,
  memoryReservationPolicy: "None",
  registerNode: true,
  localStorageCapacityIsolation: true,
  // Upstream's default is the socket of containerd.
  containerRuntimeEndpoint: "wherry",
  failCgroupV1: true,
};

test("defaultKubeletConfiguration: all defaults are those of v1.36, but the runtime", () => {
  expect(defaultKubeletConfiguration(testGates)).toStrictEqual(defaults);
});

test("legacyKubeletConfiguration: without a file, four defaults are those of old flags", () => {
  expect(legacyKubeletConfiguration(testGates)).toStrictEqual({
    ...defaults,
    authentication: {
      x509: {},
      webhook: { enabled: false, cacheTTL: "2m0s" },
      anonymous: { enabled: true },
    },
    authorization: { ...defaults.authorization, mode: "AlwaysAllow" },
    readOnlyPort: 10255,
  });
});

type Gated = [
  gate: string,
  field: "crashLoopBackOff" | "imagePullCredentialsVerificationPolicy",
  off: unknown,
];

each<Gated>([
  ["KubeletCrashLoopBackOffMax", "crashLoopBackOff", {}],
  ["KubeletEnsureSecretPulledImages", "imagePullCredentialsVerificationPolicy", undefined],
])("defaultKubeletConfiguration: with %s off, %s has no default", (gate, field, off) => {
  const config = defaultKubeletConfiguration((given) => testGates({ ...given, [gate]: false }));
  expect(config[field]).toEqual(off);
});
