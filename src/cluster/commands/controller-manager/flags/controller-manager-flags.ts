import type { Values } from "../../../../cli/flag.ts";
import { controllerListProblems } from "../../../../controllers/known-controllers.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  delegatedProblems,
} from "../../../flags/delegated-flags.ts";
import { globalFlags } from "../../../flags/global-flags.ts";
import { leaderElectionProblems } from "../../../flags/leader-election-flags.ts";
import { loggingProblems, logsFlags, metricsFlags } from "../../../flags/observing-flags.ts";
import { secureServingFlags, secureServingProblems } from "../../../flags/secure-serving-flags.ts";
import { refusals } from "../../../flags/server-flag.ts";
import { debuggingFlags, genericFlags, leaderMigrationFlags, miscFlags } from "./generic-flags.ts";
import {
  endpointSliceFlags,
  endpointsFlags,
  mirroringFlags,
  serviceFlags,
} from "./network-flags.ts";
import {
  deviceTaintFlags,
  nodeIpamFlags,
  nodeLifecycleFlags,
  resourceClaimFlags,
} from "./node-flags.ts";
import { signingFlags, signingProblems } from "./signing-flags.ts";
import {
  admissionPolicyFlags,
  garbageCollectorFlags,
  legacyTokenFlags,
  namespaceFlags,
  podGarbageFlags,
  quotaFlags,
  serviceAccountFlags,
} from "./upkeep-flags.ts";
import { attachDetachFlags, ephemeralVolumeFlags, volumeBinderFlags } from "./volume-flags.ts";
import {
  autoscalerFlags,
  cronJobFlags,
  daemonSetFlags,
  deploymentFlags,
  jobFlags,
  replicaSetFlags,
  replicationFlags,
  statefulSetFlags,
  ttlAfterFinishedFlags,
} from "./workload-flags.ts";

/** All flags of the controller manager, in upstream's sections and their order. */
export const controllerManagerFlags = {
  ...debuggingFlags,
  ...leaderMigrationFlags,
  ...genericFlags,
  ...serviceFlags,
  ...secureServingFlags({
    port: 10257,
    pair: "kube-controller-manager",
    without: "a certificate that is made at each start, and kept nowhere",
    zero: "serves nothing",
  }),
  ...delegatedAuthenticationFlags({ tolerates: false }),
  ...delegatedAuthorizationFlags,
  ...attachDetachFlags,
  ...signingFlags,
  ...deploymentFlags,
  ...deviceTaintFlags,
  ...resourceClaimFlags,
  ...statefulSetFlags,
  ...daemonSetFlags,
  ...endpointsFlags,
  ...endpointSliceFlags,
  ...mirroringFlags,
  ...ephemeralVolumeFlags,
  ...garbageCollectorFlags,
  ...autoscalerFlags,
  ...jobFlags,
  ...cronJobFlags,
  ...legacyTokenFlags,
  ...namespaceFlags,
  ...nodeIpamFlags,
  ...nodeLifecycleFlags,
  ...volumeBinderFlags,
  ...podGarbageFlags,
  ...replicaSetFlags,
  ...replicationFlags,
  ...quotaFlags,
  ...serviceAccountFlags,
  ...ttlAfterFinishedFlags,
  ...admissionPolicyFlags,
  ...metricsFlags,
  ...logsFlags,
  ...miscFlags,
  ...globalFlags,
} as const;

export type ControllerManagerFlags = Values<typeof controllerManagerFlags>;

/** All that is wrong with the flags, or asks for what there is not. */
export function controllerManagerProblems(
  flags: ControllerManagerFlags,
  given: ReadonlySet<string>,
): string[] {
  return [
    ...leaderElectionProblems(flags),
    ...controllerListProblems(flags.controllers),
    ...concurrencyProblems(flags),
    ...rangeProblems(flags),
    ...signingProblems(flags),
    ...secureServingProblems(flags, { canBeOff: true }),
    ...delegatedProblems(flags),
    ...loggingProblems(flags),
    ...cloudProblems(flags),
    ...refusals(controllerManagerFlags, flags, given),
  ];
}

/** Those that have a range of their own. */
const ranges = {
  "concurrent-service-endpoint-syncs": [1, 50],
  "max-endpoints-per-slice": [1, 1000],
  "mirroring-concurrent-service-endpoint-syncs": [1, 50],
  "mirroring-max-endpoints-per-subset": [1, 1000],
} as const;

function rangeProblems(flags: ControllerManagerFlags): string[] {
  const names = Object.keys(ranges) as (keyof typeof ranges)[];
  return names.flatMap((name) => {
    const [min, max] = ranges[name];
    if (flags[name] < min) return [`${name} must not be less than ${min}, but got ${flags[name]}`];
    if (flags[name] > max) return [`${name} must not be more than ${max}, but got ${flags[name]}`];
    return [];
  });
}

/** Nothing could be done by nobody. */
function concurrencyProblems(flags: ControllerManagerFlags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    const isCount = name.startsWith("concurrent-") && !Object.hasOwn(ranges, name);
    return isCount && Number(value) < 1 ? [`${name} must be greater than 0, but got ${value}`] : [];
  });
}

function cloudProblems(flags: ControllerManagerFlags): string[] {
  const problems: string[] = [];
  if (flags["attach-detach-reconcile-sync-period"] < 1000)
    problems.push(
      "duration time must be greater than one second as set via command line option reconcile-sync-loop-period",
    );
  if (flags["service-cluster-ip-range"].split(",").length > 2)
    problems.push("--service-cluster-ip-range can not contain more than two entries");
  const provider = flags["cloud-provider"];
  if (provider !== "" && provider !== "external")
    problems.push(
      `cloud provider "${provider}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
    );
  const allocator = flags["cidr-allocator-type"];
  if (allocator !== "" && allocator !== "RangeAllocator")
    problems.push(`built-in cloud providers are disabled. The ipam ${allocator} is not available`);
  return problems;
}
