import { parseDuration } from "../../../schema/values/duration.ts";
import { quote } from "../../../schema/values/quote.ts";
import { parseCpuSet } from "../../cpus/cpu-set.ts";
import { cleanPath } from "../clean-path.ts";
import type { FeatureGates } from "../feature-gates.ts";
import type { KubeletConfiguration } from "../kubelet-configuration.ts";
import { validateEnforcement, validateReservedMemory } from "./validate-allocatable.ts";
import { validateImages } from "./validate-images.ts";
import { validateNode } from "./validate-node.ts";
import { validateNumbers } from "./validate-numbers.ts";
import { validateObserving } from "./validate-observing.ts";
import type { Validation } from "./validation.ts";

/** What validation must know of a machine. */
export interface HostCgroups {
  /** Whether its controllers are those of cgroup v1. */
  readonly isCgroupV1: boolean;
}

/** All problems of a configuration with its defaults, in upstream's words and order. */
export function validateKubeletConfiguration(
  config: KubeletConfiguration,
  gates: FeatureGates,
  host: HostCgroups,
): readonly string[] {
  const { on, problems: gateProblems } = gates(config.featureGates ?? {});
  const problems = [...gateProblems];
  const report = (problem: string): void => void problems.push(problem);
  const invalid = (problem: string): void => report(`invalid configuration: ${problem}`);
  const validation: Validation = { config, features: on, report, invalid };
  validateNumbers(validation);
  validateNode(validation);
  validateEnforcement(validation);
  validateHairpinMode(validation);
  validateImages(validation);
  validateReservedCpus(validation);
  validateReservedMemory(validation);
  validateHost(validation, host);
  validateObserving(validation);
  validateMemoryQos(validation);
  validateRuntime(validation);
  validatePodLogs(validation);
  return problems;
}

function validateHairpinMode({ config, invalid }: Validation): void {
  if (!["none", "hairpin-veth", "promiscuous-bridge"].includes(config.hairpinMode))
    invalid(
      `option ${quote(config.hairpinMode)} specified for hairpinMode (--hairpin-mode). Valid options are "none", "hairpin-veth" or "promiscuous-bridge"`,
    );
}

function validateReservedCpus({ config, invalid }: Validation): void {
  const { reservedSystemCPUs: cpus = "" } = config;
  if (cpus === "") return;
  if (config.systemReservedCgroup || config.kubeReservedCgroup)
    invalid(
      "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
    );
  try {
    parseCpuSet(cpus);
  } catch (error) {
    invalid(
      `unable to parse reservedSystemCPUs (--reserved-cpus) ${cpus}, error: ${(error as Error).message}`,
    );
  }
}

const idsUnit = 65_536;
const mostIds = 2 ** 32 - 1;

/** Upstream reports only the first problem of these. */
function validateHost({ config, invalid, report }: Validation, { isCgroupV1 }: HostCgroups): void {
  const ids = config.userNamespaces?.idsPerPod;
  if (config.failCgroupV1 && isCgroupV1)
    report(
      "kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release",
    );
  else if (isCgroupV1 && config.singleProcessOOMKill === false)
    invalid("singleProcessOOMKill must not be explicitly set to false when using cgroup v1");
  else if (ids === undefined) return;
  else if (ids < idsUnit) invalid(`userNamespaces.idsPerPod must not be less than ${idsUnit}`);
  else if (ids % idsUnit !== 0)
    invalid(`userNamespaces.idsPerPod must be a multiple of ${idsUnit}`);
  else if (ids > mostIds) invalid(`userNamespaces.idsPerPod must not be more than ${mostIds}`);
}

function validateMemoryQos({ config, features, invalid }: Validation): void {
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy } = config;
  if (factor <= 0 || factor > 1)
    invalid(
      `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`,
    );
  if (policy === "TieredReservation" && !features.has("MemoryQoS"))
    invalid(
      `memoryReservationPolicy ${quote(policy)} requires MemoryQoS feature gate to be enabled`,
    );
  if (policy !== "None" && policy !== "TieredReservation")
    invalid(
      `option ${quote(policy)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
    );
}

function validateRuntime({ config, features, invalid }: Validation): void {
  if (config.containerRuntimeEndpoint === "")
    invalid("the containerRuntimeEndpoint was not specified or empty");
  if (config.enableSystemLogQuery && !features.has("NodeLogQuery"))
    invalid("NodeLogQuery feature gate is required for enableSystemLogQuery");
  if (config.enableSystemLogQuery && !config.enableSystemLogHandler)
    invalid("enableSystemLogHandler is required for enableSystemLogQuery");
}

function validatePodLogs({ config, invalid }: Validation): void {
  const { podLogsDir } = config;
  if (config.containerLogMaxWorkers < 1)
    invalid("containerLogMaxWorkers must be greater than or equal to 1");
  if (parseDuration(config.containerLogMonitorInterval) < 3_000_000_000n)
    invalid(
      "containerLogMonitorInterval must be a positive time duration greater than or equal to 3s",
    );
  if (config.containerLogMaxFiles <= 1) invalid("containerLogMaxFiles must be greater than 1");
  if (podLogsDir === "") invalid("podLogsDir was not specified");
  const path = `pod logs path ${quote(podLogsDir)}`;
  if (!podLogsDir.startsWith("/")) invalid(`${path} must be absolute path`);
  if (cleanPath(podLogsDir) !== podLogsDir) invalid(`${path} must be normalized`);
  if (/[^\0-\x7f]/.test(podLogsDir)) invalid(`${path} mut contains ASCII characters only`);
}
