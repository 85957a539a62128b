import type { Taint } from "../../../api/core/v1/scheduling/taint.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { isQualifiedName, isValidLabelValue } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { Validation } from "./validation.ts";

/** Taints, topology, shutdown, swap and the delay of restarts. */
export function validateNode(validation: Validation): void {
  validateTaints(validation);
  validateTopology(validation);
  validateShutdown(validation);
  validateSwap(validation);
  validateBackOff(validation);
}

function validateTaints({ config, invalid, report }: Validation): void {
  for (const taint of config.registerWithTaints ?? []) {
    const { key, value = "", effect, timeAdded } = taint;
    if (!isValidTaint(taint))
      report(`invalid taint: {${key} ${value} ${effect} ${timeAdded ?? "<nil>"}}`);
    if (timeAdded !== undefined) invalid("taint.TimeAdded is not nil");
  }
}

const effects = ["", "NoSchedule", "PreferNoSchedule", "NoExecute"];

const isValidTaint = ({ key, value = "", effect }: Taint): boolean =>
  isQualifiedName(key).length === 0 &&
  isValidLabelValue(value).length === 0 &&
  effects.includes(effect);

const topologyPolicies = ["none", "best-effort", "restricted", "single-numa-node"];

function validateTopology({ config, invalid }: Validation): void {
  const { topologyManagerPolicy: policy, topologyManagerScope: scope } = config;
  if (!topologyPolicies.includes(policy))
    invalid(
      `topologyManagerPolicy (--topology-manager-policy) ${quote(policy)} must be one of: [${topologyPolicies.map((one) => quote(one)).join(" ")}]`,
    );
  if (scope !== "container" && scope !== "pod")
    invalid(
      `topologyManagerScope (--topology-manager-scope) ${quote(scope)} must be one of: "container", or "pod"`,
    );
}

const second = 1_000_000_000n;

function validateShutdown({ config, features, invalid }: Validation): void {
  const all = parseDuration(config.shutdownGracePeriod);
  const critical = parseDuration(config.shutdownGracePeriodCriticalPods);
  const isGiven = all > 0n || critical > 0n;
  if (features.has("GracefulNodeShutdown")) {
    if (critical > all)
      invalid(
        `shutdownGracePeriodCriticalPods {${config.shutdownGracePeriodCriticalPods}} must be <= shutdownGracePeriod {${config.shutdownGracePeriod}}`,
      );
    for (const name of ["shutdownGracePeriod", "shutdownGracePeriodCriticalPods"] as const) {
      const period = parseDuration(config[name]);
      if (period !== 0n && period < second)
        invalid(`${name} {${config[name]}} must be either zero or otherwise >= 1 sec`);
    }
  } else if (isGiven)
    invalid(
      "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown",
    );
  if ((config.shutdownGracePeriodByPodPriority ?? []).length === 0) return;
  if (!features.has("GracefulNodeShutdownBasedOnPodPriority"))
    invalid(
      "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority",
    );
  else if (isGiven)
    invalid(
      "Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time",
    );
}

function validateSwap({ config, features, invalid }: Validation): void {
  const { swapBehavior = "" } = config.memorySwap;
  if (!features.has("NodeSwap")) {
    if (swapBehavior !== "")
      invalid("memorySwap.swapBehavior cannot be set when NodeSwap feature flag is disabled");
  } else if (!["", "NoSwap", "LimitedSwap"].includes(swapBehavior))
    invalid(
      `memorySwap.swapBehavior ${quote(swapBehavior)} must be one of: "", "LimitedSwap" or "NoSwap"`,
    );
}

function validateBackOff({ config, features, invalid }: Validation): void {
  const period = config.crashLoopBackOff.maxContainerRestartPeriod;
  const setting = "CrashLoopBackOff.MaxContainerRestartPeriod";
  if (!features.has("KubeletCrashLoopBackOffMax")) {
    if (period !== undefined)
      invalid(`FeatureGate KubeletCrashLoopBackOffMax not enabled, ${setting} must not be set`);
    return;
  }
  if (period === undefined) {
    invalid(`FeatureGate KubeletCrashLoopBackOffMax is enabled, ${setting} must be set`);
    return;
  }
  const milliseconds = parseDuration(period) / 1_000_000n;
  if (milliseconds < 1000n || milliseconds > 300_000n) {
    const seconds = Number(parseDuration(period)) / 1e9;
    invalid(`${setting} (got: ${seconds} seconds) must be set between 1s and 300s`);
  }
}
