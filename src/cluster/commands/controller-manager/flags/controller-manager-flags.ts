import type { Values } from "../../../../cli/flag.ts";
import { controllerListProblems } from "../../../../controllers/known-controllers.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  delegatedProblems,
} from "../../../flags/delegated-flags.ts";
import { globalFlags } from "../../../flags/global-flags.ts";
import { leaderElectionProblems } from "../../../flags/leader-election-flags.ts";
import { metricsFlags, metricsProblems } from "../../../flags/metrics-flags.ts";
import { loggingProblems, logsFlags } from "../../../flags/observing-flags.ts";
import { secureServingFlags, secureServingProblems } from "../../../flags/secure-serving-flags.ts";
import { refusals } from "../../../flags/server-flag.ts";
import { type ControllerFlag, controllerFlags } from "./controller-flag.ts";
import { debuggingFlags, genericFlags, leaderMigrationFlags, miscFlags } from "./generic-flags.ts";
import { serviceFlags } from "./network-flags.ts";
import { signingFlags, signingProblems } from "./signing-flags.ts";
import { serviceAccountFlags } from "./upkeep-flags.ts";
import { attachDetachFlags, volumeBinderFlags } from "./volume-flags.ts";

/** The flags that no controller declares: those of the program, and of controllers not implemented yet. */
const programFlags = {
  ...debuggingFlags,
  ...leaderMigrationFlags,
  ...genericFlags,
  ...serviceFlags,
  ...secureServingFlags({
    port: 10257,
    pair: "kube-controller-manager",
    without: "a new certificate at each start, in memory only",
    zero: "disables serving",
  }),
  ...delegatedAuthenticationFlags({ tolerates: false }),
  ...delegatedAuthorizationFlags,
  ...attachDetachFlags,
  ...signingFlags,
  ...volumeBinderFlags,
  ...serviceAccountFlags,
  ...metricsFlags,
  ...logsFlags,
  ...miscFlags,
  ...globalFlags,
} as const;

/** The headings of help, in upstream's order. */
const sections: readonly string[] = [
  "Debugging flags",
  "Leader-migration flags",
  "Generic flags",
  "Service-lb-controller flags",
  "Secure serving flags",
  "Authentication flags",
  "Authorization flags",
  "Persistentvolume-attach-detach-controller flags",
  "Certificatesigningrequest-signing-controller flags",
  "Deployment-controller flags",
  "Device-taint-eviction-controller flags",
  "Resourceclaim-controller flags",
  "Statefulset-controller flags",
  "Daemonset-controller flags",
  "Endpoints-controller flags",
  "Endpointslice-controller flags",
  "Endpointslice-mirroring-controller flags",
  "Ephemeral-volume-controller flags",
  "Garbage-collector-controller flags",
  "Horizontal-pod-autoscaler-controller flags",
  "Job-controller flags",
  "Cronjob-controller flags",
  "Legacy-serviceaccount-token-cleaner-controller flags",
  "Namespace-controller flags",
  "Node-ipam-controller flags",
  "Node-lifecycle-controller flags",
  "Persistentvolume-binder-controller flags",
  "Pod-garbage-collector-controller flags",
  "Replicaset-controller flags",
  "Replicationcontroller-controller flags",
  "Resourcequota-controller flags",
  "Serviceaccount-controller flags",
  "Ttl-after-finished-controller flags",
  "Validatingadmissionpolicy-status-controller flags",
  "Metrics flags",
  "Logs flags",
  "Misc flags",
  "Global flags",
];

/** All flags of the controller manager, in upstream's sections and their order. */
export const controllerManagerFlags: typeof programFlags = Object.fromEntries(
  Object.entries<ControllerFlag>({ ...programFlags, ...controllerFlags() }).sort(
    ([, a], [, b]) => sections.indexOf(a.section ?? "") - sections.indexOf(b.section ?? ""),
  ),
) as typeof programFlags;

/** Values by name; those of controllers' flags are read by their modules. */
export type ControllerManagerFlags = Values<typeof programFlags>;

/** All problems of the flags, including values that are not supported. */
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
    ...metricsProblems(flags),
    ...loggingProblems(flags),
    ...cloudProblems(flags),
    ...refusals(controllerManagerFlags, flags, given),
  ];
}

function rangeProblems(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries<ControllerFlag>(controllerManagerFlags).flatMap(([name, { range }]) => {
    if (!range) return [];
    const [min, max] = range;
    const value = Number(flags[name]);
    if (value < min) return [`${name} must not be less than ${min}, but got ${value}`];
    if (value > max) return [`${name} must not be more than ${max}, but got ${value}`];
    return [];
  });
}

/** A controller without workers would do nothing. */
function concurrencyProblems(flags: Readonly<Record<string, unknown>>): string[] {
  return Object.entries<ControllerFlag>(controllerManagerFlags).flatMap(([name, { range }]) => {
    const isTooSmall = name.startsWith("concurrent-") && !range && Number(flags[name]) < 1;
    return isTooSmall ? [`${name} must be greater than 0, but got ${flags[name]}`] : [];
  });
}

function cloudProblems(flags: ControllerManagerFlags): string[] {
  const problems: string[] = [];
  // Flags of controllers are not part of the type.
  const values: Readonly<Record<string, unknown>> = flags;
  if (flags["attach-detach-reconcile-sync-period"] < 1000)
    problems.push(
      "duration time must be greater than one second as set via command line option reconcile-sync-loop-period",
    );
  if (String(values["service-cluster-ip-range"]).split(",").length > 2)
    problems.push("--service-cluster-ip-range can not contain more than two entries");
  const provider = flags["cloud-provider"];
  if (provider !== "" && provider !== "external")
    problems.push(
      `cloud provider "${provider}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
    );
  const allocator = values["cidr-allocator-type"];
  if (allocator !== "" && allocator !== "RangeAllocator")
    problems.push(`built-in cloud providers are disabled. The ipam ${allocator} is not available`);
  return problems;
}
