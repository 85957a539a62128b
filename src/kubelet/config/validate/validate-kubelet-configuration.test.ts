import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { applyMergePatch } from "../../../schema/patch/merge-patch.ts";
import { defaultKubeletConfiguration } from "../default-kubelet-configuration.ts";
import { testGates } from "../feature-gates.test-support.ts";
import type { KubeletConfiguration } from "../kubelet-configuration.ts";
import { validateKubeletConfiguration } from "./validate-kubelet-configuration.ts";

/** The problems of the default configuration with some changes. */
function problemsOf(changes: object, isCgroupV1 = false): readonly string[] {
  const config = applyMergePatch(defaultKubeletConfiguration(testGates), changes);
  return validateKubeletConfiguration(config as KubeletConfiguration, testGates, { isCgroupV1 });
}

const off = (gate: string) => ({ featureGates: { [gate]: false } });
const enforce = "enforceNodeAllocatable (--enforce-node-allocatable)";

test("validateKubeletConfiguration: the defaults are valid", () => {
  expect(problemsOf({})).toEqual([]);
});

each<[changes: object, problem: string]>([
  [{ nodeLeaseDurationSeconds: -1 }, "nodeLeaseDurationSeconds must be greater than 0"],
  [
    { systemCgroups: "/s" },
    "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified",
  ],
  [{ eventBurst: -1 }, "eventBurst (--event-burst) -1 must not be a negative number"],
  [{ eventRecordQPS: -1 }, "eventRecordQPS (--event-qps) -1 must not be a negative number"],
  [
    { healthzPort: 65_536 },
    "healthzPort (--healthz-port) 65536 must be between 1 and 65535, inclusive",
  ],
  [
    { cpuCFSQuotaPeriod: "200ms", ...off("CustomCPUCFSQuotaPeriod") },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {200ms} requires feature gate CustomCPUCFSQuotaPeriod",
  ],
  [
    { cpuCFSQuotaPeriod: "2s" },
    "cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {2s} must be between 1ms and 1sec, inclusive",
  ],
  [
    { imageGCHighThresholdPercent: 101 },
    "imageGCHighThresholdPercent (--image-gc-high-threshold) 101 must be between 0 and 100, inclusive",
  ],
  [
    { imageGCLowThresholdPercent: -1 },
    "imageGCLowThresholdPercent (--image-gc-low-threshold) -1 must be between 0 and 100, inclusive",
  ],
  [
    { imageGCLowThresholdPercent: 85 },
    "imageGCLowThresholdPercent (--image-gc-low-threshold) 85 must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 85",
  ],
  [
    { imageMaximumGCAge: "1h0m0s", ...off("ImageMaximumGCAge") },
    "ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge",
  ],
  [{ imageMinimumGCAge: "-1ns" }, "imageMinimumGCAge -1ns must not be negative"],
  [{ imageMaximumGCAge: "-1ns" }, "imageMaximumGCAge -1ns must not be negative"],
  [
    { imageMaximumGCAge: "1m0s" },
    "imageMaximumGCAge 1m0s must be greater than imageMinimumGCAge 2m0s",
  ],
  [
    { iptablesDropBit: 32 },
    "iptablesDropBit (--iptables-drop-bit) 32 must be between 0 and 31, inclusive",
  ],
  [
    { iptablesMasqueradeBit: -1 },
    "iptablesMasqueradeBit (--iptables-masquerade-bit) -1 must be between 0 and 31, inclusive",
  ],
  [{ kubeAPIBurst: -1 }, "kubeAPIBurst (--kube-api-burst) -1 must not be a negative number"],
  [{ kubeAPIQPS: -1 }, "kubeAPIQPS (--kube-api-qps) -1 must not be a negative number"],
  [
    { nodeStatusMaxImages: -2 },
    "nodeStatusMaxImages (--node-status-max-images) -2 must be -1 or greater",
  ],
  [{ maxOpenFiles: -1 }, "maxOpenFiles (--max-open-files) -1 must not be a negative number"],
  [{ maxPods: -1 }, "maxPods (--max-pods) -1 must not be a negative number"],
  [
    { oomScoreAdj: 1001 },
    "oomScoreAdj (--oom-score-adj) 1001 must be between -1000 and 1000, inclusive",
  ],
  [{ podsPerCore: -1 }, "podsPerCore (--pods-per-core) -1 must not be a negative number"],
  [{ port: 65_536 }, "port (--port) 65536 must be between 1 and 65535, inclusive"],
  [
    { readOnlyPort: 65_536 },
    "readOnlyPort (--read-only-port) 65536 must be between 0 and 65535, inclusive",
  ],
  [{ registryBurst: -1 }, "registryBurst (--registry-burst) -1 must not be a negative number"],
  [{ registryPullQPS: -1 }, "registryPullQPS (--registry-qps) -1 must not be a negative number"],
  [{ maxParallelImagePulls: 0 }, "maxParallelImagePulls 0 must be a positive number"],
  [
    { maxParallelImagePulls: 2 },
    "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false",
  ],
  [
    { serverTLSBootstrap: true, ...off("RotateKubeletServerCertificate") },
    "serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate",
  ],
  [
    { runOnce: true },
    "runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set",
  ],
  [
    { registerWithTaints: [{ key: "a", effect: "NoSchedule", timeAdded: "2026-01-01T00:00:00Z" }] },
    "taint.TimeAdded is not nil",
  ],
  [
    { topologyManagerPolicy: "x" },
    'topologyManagerPolicy (--topology-manager-policy) "x" must be one of: ["none" "best-effort" "restricted" "single-numa-node"]',
  ],
  [
    { topologyManagerScope: "x" },
    'topologyManagerScope (--topology-manager-scope) "x" must be one of: "container", or "pod"',
  ],
  [
    { shutdownGracePeriodCriticalPods: "2s", shutdownGracePeriod: "1s" },
    "shutdownGracePeriodCriticalPods {2s} must be <= shutdownGracePeriod {1s}",
  ],
  [
    { shutdownGracePeriod: "1ms" },
    "shutdownGracePeriod {1ms} must be either zero or otherwise >= 1 sec",
  ],
  [
    { shutdownGracePeriod: "2s", shutdownGracePeriodCriticalPods: "1ms" },
    "shutdownGracePeriodCriticalPods {1ms} must be either zero or otherwise >= 1 sec",
  ],
  [
    { shutdownGracePeriod: "2s", ...off("GracefulNodeShutdown") },
    "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown",
  ],
  [
    {
      shutdownGracePeriod: "2s",
      shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 1 }],
    },
    "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time",
  ],
  [
    {
      shutdownGracePeriodByPodPriority: [{ priority: 0, shutdownGracePeriodSeconds: 1 }],
      ...off("GracefulNodeShutdownBasedOnPodPriority"),
    },
    "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority",
  ],
  [
    { memorySwap: { swapBehavior: "x" } },
    'memorySwap.swapBehavior "x" must be one of: "", "LimitedSwap" or "NoSwap"',
  ],
  [
    { memorySwap: { swapBehavior: "NoSwap" }, ...off("NodeSwap") },
    "memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled",
  ],
  [
    { crashLoopBackOff: { maxContainerRestartPeriod: "999ms" } },
    "CrashLoopBackOff.MaxContainerRestartPeriod (got: 0.999 seconds) must be set between 1s and 300s",
  ],
  [
    { crashLoopBackOff: { maxContainerRestartPeriod: "5m0.9s" } },
    "CrashLoopBackOff.MaxContainerRestartPeriod (got: 300.9 seconds) must be set between 1s and 300s",
  ],
  [
    { crashLoopBackOff: { maxContainerRestartPeriod: null } },
    "FeatureGate KubeletCrashLoopBackOffMax is enabled, CrashLoopBackOff.MaxContainerRestartPeriod must be set",
  ],
  [
    off("KubeletCrashLoopBackOffMax"),
    "FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set",
  ],
  [
    {
      enforceNodeAllocatable: ["system-reserved", "system-reserved-compressible"],
      systemReservedCgroup: "/s",
    },
    `both "system-reserved" and "system-reserved-compressible" cannot be specified together in ${enforce}`,
  ],
  [
    {
      enforceNodeAllocatable: ["kube-reserved-compressible", "kube-reserved"],
      kubeReservedCgroup: "/k",
    },
    `both "kube-reserved" and "kube-reserved-compressible" cannot be specified together in ${enforce}`,
  ],
  [{ enforceNodeAllocatable: ["pods", "pods"] }, `duplicated enforcements "pods" in ${enforce}`],
  [
    { enforceNodeAllocatable: ["system-reserved-compressible"] },
    `systemReservedCgroup (--system-reserved-cgroup) must be specified when "system-reserved" or "system-reserved-compressible" included in ${enforce}`,
  ],
  [
    { enforceNodeAllocatable: ["kube-reserved"] },
    `kubeReservedCgroup (--kube-reserved-cgroup) must be specified when "kube-reserved" or "kube-reserved-compressible" included in ${enforce}`,
  ],
  [
    { enforceNodeAllocatable: ["none", "pods"] },
    `${enforce} may not contain additional enforcements when "none" is specified`,
  ],
  [
    { enforceNodeAllocatable: ["x"] },
    `option "x" specified for ${enforce}. Valid options are "pods", "system-reserved", "system-reserved-compressible", "kube-reserved", "kube-reserved-compressible" or "none"`,
  ],
  [
    { cgroupsPerQOS: false },
    `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "pods" contained in ${enforce}`,
  ],
  [
    { hairpinMode: "x" },
    'option "x" specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"',
  ],
  [
    { imagePullCredentialsVerificationPolicy: "x" },
    'option "x" specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"',
  ],
  [
    { preloadedImagesVerificationAllowlist: ["a"] },
    'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
  ],
  [
    {
      imagePullCredentialsVerificationPolicy: "NeverVerifyAllowlistedImages",
      preloadedImagesVerificationAllowlist: ["a/*", "a*", "a:1"],
    },
    "invalid image pattern in `preloadedImagesVerificationAllowlist`: not a valid wildcard pattern, only patterns ending with '/*' are allowed: a*",
  ],
  [
    off("KubeletEnsureSecretPulledImages"),
    "`imagePullCredentialsVerificationPolicy` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled",
  ],
  [
    {
      imagePullCredentialsVerificationPolicy: null,
      preloadedImagesVerificationAllowlist: ["a"],
      ...off("KubeletEnsureSecretPulledImages"),
    },
    "`preloadedImagesVerificationAllowlist` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled",
  ],
  [
    { reservedSystemCPUs: "0-1", kubeReservedCgroup: "/k" },
    "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
  ],
  [
    { reservedSystemCPUs: "a" },
    'unable to parse reservedSystemCPUs (--reserved-cpus) a, error: strconv.Atoi: parsing "a": invalid syntax',
  ],
  [
    { reservedMemory: [{ numaNode: 0, limits: { cpu: "1" } }] },
    'the limit type "cpu" for NUMA node 0 is not supported, only [memory hugepages-<HugePageSize>] is accepted',
  ],
  [
    { reservedMemory: [{ numaNode: 1, limits: { memory: "0" } }] },
    'reserved memory may not be zero for NUMA node 1 and resource "memory"',
  ],
  [
    {
      reservedMemory: [
        { numaNode: 0, limits: { "hugepages-2Mi": "2Mi" } },
        { numaNode: 0, limits: { "hugepages-2Mi": "4Mi" } },
      ],
    },
    'the reserved memory has a duplicate value for NUMA node 0 and resource "hugepages-2Mi"',
  ],
  [{ userNamespaces: { idsPerPod: 1 } }, "userNamespaces.idsPerPod must not be less than 65536"],
  [
    { userNamespaces: { idsPerPod: 65_537 } },
    "userNamespaces.idsPerPod must be a multiple of 65536",
  ],
  [
    { userNamespaces: { idsPerPod: 2 ** 32 } },
    "userNamespaces.idsPerPod must not be more than 4294967295",
  ],
  [
    { memoryThrottlingFactor: 1.1 },
    "memoryThrottlingFactor 1.1 must be greater than 0 and less than or equal to 1.0",
  ],
  [
    { memoryReservationPolicy: "TieredReservation" },
    'memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled',
  ],
  [
    { memoryReservationPolicy: "x" },
    'option "x" specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"',
  ],
  [{ containerRuntimeEndpoint: "" }, "the containerRuntimeEndpoint was not specified or empty"],
  [
    { enableSystemLogQuery: true, ...off("NodeLogQuery") },
    "NodeLogQuery feature gate is required for enableSystemLogQuery",
  ],
  [
    { enableSystemLogQuery: true, enableSystemLogHandler: false },
    "enableSystemLogHandler is required for enableSystemLogQuery",
  ],
  [{ containerLogMaxWorkers: 0 }, "containerLogMaxWorkers must be greater than or equal to 1"],
  [
    { containerLogMonitorInterval: "2.9s" },
    "containerLogMonitorInterval must be a positive time duration greater than or equal to 3s",
  ],
  [{ containerLogMaxFiles: 1 }, "containerLogMaxFiles must be greater than 1"],
  [{ podLogsDir: "test" }, 'pod logs path "test" must be absolute path'],
  [{ podLogsDir: "/path/../" }, 'pod logs path "/path/../" must be normalized'],
  [{ podLogsDir: "/ä" }, 'pod logs path "/ä" mut contains ASCII characters only'],
])("validateKubeletConfiguration: %j", (changes, problem) => {
  expect(problemsOf(changes)).toEqual([`invalid configuration: ${problem}`]);
});

each<[changes: object, problems: string[]]>([
  [
    { registerWithTaints: [{ key: "a b", effect: "NoSchedule" }] },
    ["invalid taint: {a b  NoSchedule <nil>}"],
  ],
  [
    { registerWithTaints: [{ key: "a", value: "b", effect: "Never" }] },
    ["invalid taint: {a b Never <nil>}"],
  ],
  [
    { showHiddenMetricsForVersion: "1.34" },
    [
      `invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: Invalid value: "1.34": must be omitted or have the value '1.35'; only the previous minor version is allowed`,
    ],
  ],
  [
    { logging: { format: "x", flushFrequency: "-1s" } },
    [
      'logging.flushFrequency: Invalid value: "-1s": Must be greater than zero',
      'logging.format: Invalid value: "x": Unsupported log format',
    ],
  ],
  [
    { logging: { format: "json" }, ...off("LoggingBetaOptions") },
    ["logging.format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature"],
  ],
  [
    { logging: { verbosity: 2 ** 31 } },
    ["logging.verbosity: Invalid value: 2147483648: Must be <= 2147483647"],
  ],
  [{ logging: { verbosity: -1 } }, ["logging.verbosity: Invalid value: -1: Must be >= 0"]],
  [
    {
      logging: {
        format: "json",
        vmodule: [
          { filePattern: "", verbosity: 1 },
          { filePattern: "a=b", verbosity: 1 },
        ],
      },
    },
    [
      "logging.vmodule: Forbidden: Only supported for text log format",
      "logging.vmodule[0]: Required value: File pattern must not be empty",
      'logging.vmodule[1]: Invalid value: "a=b": File pattern must not contain equal sign or comma',
    ],
  ],
  [
    { logging: { options: { text: { splitStream: true }, json: { infoBufferSize: "1Ki" } } } },
    [
      "logging.options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled",
      "logging.options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled",
    ],
  ],
  [
    { tracing: { samplingRatePerMillion: -1, endpoint: "http://a" } },
    [
      "tracing.samplingRatePerMillion: Invalid value: -1: sampling rate must be positive",
      'tracing.endpoint: Invalid value: "http://a": unsupported scheme: http.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
    ],
  ],
  [
    { tracing: { samplingRatePerMillion: 1_000_001, endpoint: "dn%2s://localhost:4317" } },
    [
      "tracing.samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million",
      'tracing.endpoint: Invalid value: "dn%2s://localhost:4317": parse "dn%2s://localhost:4317": first path segment in URL cannot contain colon',
    ],
  ],
  [{ tracing: { endpoint: "localhost:4317", samplingRatePerMillion: 1 } }, []],
  [
    { podLogsDir: "" },
    [
      "invalid configuration: podLogsDir was not specified",
      'invalid configuration: pod logs path "" must be absolute path',
      'invalid configuration: pod logs path "" must be normalized',
    ],
  ],
])("validateKubeletConfiguration: %j", (changes, problems) => {
  expect(problemsOf(changes)).toEqual(problems);
});

const failsOnV1 =
  "kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release";

each<[changes: object, problems: string[]]>([
  [{}, [failsOnV1]],
  [{ failCgroupV1: false }, []],
  [
    { failCgroupV1: false, singleProcessOOMKill: false },
    [
      "invalid configuration: singleProcessOOMKill must not be explicitly set to false when using cgroup v1",
    ],
  ],
])("validateKubeletConfiguration: %j on a machine with cgroup v1", (changes, problems) => {
  expect(problemsOf(changes, true)).toEqual(problems);
});

test("validateKubeletConfiguration: reports problems of feature gates first", () => {
  const config = { ...defaultKubeletConfiguration(testGates), maxPods: -1 };
  const gates = (settings: Readonly<Record<string, boolean>>) => ({
    ...testGates(settings),
    problems: ["unrecognized feature gate: X"],
  });
  expect(validateKubeletConfiguration(config, gates, { isCgroupV1: false })).toEqual([
    "unrecognized feature gate: X",
    "invalid configuration: maxPods (--max-pods) -1 must not be a negative number",
  ]);
});
