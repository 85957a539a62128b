import { type Clock, sleep } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import { RuntimeError } from "../../../cri/runtime-service.ts";
import type { RuntimeConfig } from "../../../cri/runtime-status.ts";

export interface RuntimeCgroupDriverOptions {
  readonly runtime: Pick<RuntimeService, "runtimeConfig">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * The driver of cgroups that a runtime uses, which takes precedence over a node's configuration: with different ones,
 * containers would not be in the cgroups of their pods. Undefined if the runtime cannot tell. One that does not respond
 * yet is asked again.
 */
export async function runtimeCgroupDriver(
  options: RuntimeCgroupDriverOptions,
): Promise<RuntimeConfig["cgroupDriver"]> {
  const { runtime, clock, log, metrics } = options;
  for (let wait = 200; ; wait = Math.min(wait * 2, 7000)) {
    try {
      return (await runtime.runtimeConfig()).cgroupDriver;
    } catch (error) {
      if (error instanceof RuntimeError && error.code === "Unimplemented") {
        countOldRuntime(metrics);
        return undefined;
      }
      log.warn("the container runtime does not tell its configuration", { error });
    }
    await sleep(clock, wait);
  }
}

const countOldRuntime = (metrics: Metrics): void =>
  metrics
    .gauge({
      name: "kubelet_cri_losing_support",
      help: "the Kubernetes version that the currently running CRI implementation will lose support on if not upgraded.",
      stability: "ALPHA",
      labels: ["version"],
    })
    .of("1.37.0")
    .add(1);
