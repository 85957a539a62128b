import { parseDuration } from "../../../schema/values/duration.ts";
import type { KubeletConfiguration } from "../kubelet-configuration.ts";
import type { Validation } from "./validation.ts";

/** Numbers, ages and pulls, up to the settings that upstream has removed. */
export function validateNumbers(validation: Validation): void {
  const { config, features, invalid } = validation;
  if (config.nodeLeaseDurationSeconds <= 0)
    invalid("nodeLeaseDurationSeconds must be greater than 0");
  if (config.systemCgroups && !config.cgroupRoot)
    invalid(
      "systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified",
    );
  const check = (names: readonly (keyof typeof numbers)[]) => {
    for (const name of names) {
      const { flag, isValid, rule } = numbers[name];
      const value = config[name] ?? 0;
      if (!isValid(value)) invalid(`${name} (--${flag}) ${value} ${rule}`);
    }
  };
  check(["eventBurst", "eventRecordQPS", "healthzPort"]);
  validateQuotaPeriod(validation);
  check(["imageGCHighThresholdPercent", "imageGCLowThresholdPercent"]);
  validateImageAges(validation);
  check([
    "iptablesDropBit",
    "iptablesMasqueradeBit",
    "kubeAPIBurst",
    "kubeAPIQPS",
    "nodeStatusMaxImages",
    "maxOpenFiles",
    "maxPods",
    "oomScoreAdj",
    "podsPerCore",
    "port",
    "readOnlyPort",
    "registryBurst",
    "registryPullQPS",
  ]);
  validatePulls(validation);
  if (config.serverTLSBootstrap && !features.has("RotateKubeletServerCertificate"))
    invalid("serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate");
  if (config.runOnce)
    invalid("runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set");
}

interface NumberRule {
  readonly flag: string;
  readonly isValid: (value: number) => boolean;
  readonly rule: string;
}

const natural = (flag: string): NumberRule => ({
  flag,
  isValid: (value) => value >= 0,
  rule: "must not be a negative number",
});
const between = (flag: string, min: number, max: number): NumberRule => ({
  flag,
  isValid: (value) => value >= min && value <= max,
  rule: `must be between ${min} and ${max}, inclusive`,
});
const portOrNone = (flag: string, min: number): NumberRule => ({
  flag,
  isValid: (value) => value >= 0 && value <= 65_535,
  rule: `must be between ${min} and 65535, inclusive`,
});

const numbers = {
  eventBurst: natural("event-burst"),
  eventRecordQPS: natural("event-qps"),
  healthzPort: portOrNone("healthz-port", 1),
  imageGCHighThresholdPercent: between("image-gc-high-threshold", 0, 100),
  imageGCLowThresholdPercent: between("image-gc-low-threshold", 0, 100),
  iptablesDropBit: between("iptables-drop-bit", 0, 31),
  iptablesMasqueradeBit: between("iptables-masquerade-bit", 0, 31),
  kubeAPIBurst: natural("kube-api-burst"),
  kubeAPIQPS: natural("kube-api-qps"),
  nodeStatusMaxImages: {
    flag: "node-status-max-images",
    isValid: (value) => value >= -1,
    rule: "must be -1 or greater",
  },
  maxOpenFiles: natural("max-open-files"),
  maxPods: natural("max-pods"),
  oomScoreAdj: between("oom-score-adj", -1000, 1000),
  podsPerCore: natural("pods-per-core"),
  port: between("port", 1, 65_535),
  readOnlyPort: portOrNone("read-only-port", 0),
  registryBurst: natural("registry-burst"),
  registryPullQPS: natural("registry-qps"),
} satisfies Partial<Record<keyof KubeletConfiguration, NumberRule>>;

function validateQuotaPeriod({ config, features, invalid }: Validation): void {
  const period = config.cpuCFSQuotaPeriod;
  const shown = `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) {${period}}`;
  if (!features.has("CustomCPUCFSQuotaPeriod")) {
    if (period !== "100ms") invalid(`${shown} requires feature gate CustomCPUCFSQuotaPeriod`);
  } else if (parseDuration(period) < 1_000_000n || parseDuration(period) > 1_000_000_000n)
    invalid(`${shown} must be between 1ms and 1sec, inclusive`);
}

function validateImageAges({ config, features, invalid }: Validation): void {
  const { imageGCLowThresholdPercent: low, imageGCHighThresholdPercent: high } = config;
  if (low >= high)
    invalid(
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
    );
  const { imageMinimumGCAge, imageMaximumGCAge } = config;
  const [least, most] = [parseDuration(imageMinimumGCAge), parseDuration(imageMaximumGCAge)];
  if (most !== 0n && !features.has("ImageMaximumGCAge"))
    invalid(
      "ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge",
    );
  if (least < 0n) invalid(`imageMinimumGCAge ${imageMinimumGCAge} must not be negative`);
  if (most < 0n) invalid(`imageMaximumGCAge ${imageMaximumGCAge} must not be negative`);
  if (most > 0n && most <= least)
    invalid(
      `imageMaximumGCAge ${imageMaximumGCAge} must be greater than imageMinimumGCAge ${imageMinimumGCAge}`,
    );
}

function validatePulls({ config, invalid }: Validation): void {
  const { maxParallelImagePulls: pulls, serializeImagePulls } = config;
  if (pulls === undefined) return;
  if (pulls < 1) invalid(`maxParallelImagePulls ${pulls} must be a positive number`);
  if (serializeImagePulls && pulls > 1)
    invalid(
      "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false",
    );
}
