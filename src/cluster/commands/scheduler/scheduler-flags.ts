import {
  boolFlag,
  durationFlag,
  floatFlag,
  intFlag,
  stringFlag,
  type Values,
} from "../../../cli/flag.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  delegatedProblems,
} from "../../flags/delegated-flags.ts";
import { globalFlags } from "../../flags/global-flags.ts";
import { leaderElectionFlags } from "../../flags/leader-election-flags.ts";
import { loggingProblems, logsFlags, metricsFlags } from "../../flags/observing-flags.ts";
import { secureServingFlags, secureServingProblems } from "../../flags/secure-serving-flags.ts";
import { refusals, section, withoutEffect } from "../../flags/server-flag.ts";
import { versionFlags } from "../../flags/version-flags.ts";

const noProfiling = "there is nothing at /debug/pprof";

/** All flags of the scheduler, in upstream's sections. */
export const schedulerFlags = {
  ...section("Misc flags", {
    config: stringFlag({
      usage:
        "the `FILE` of a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): profiles, plugins and their arguments, and the connection to the API server",
    }),
    "write-config-to": stringFlag({
      usage: "the `FILE` to write the configuration to that flags and --config make, and end",
    }),
    master: stringFlag({ usage: "the `URL` of the API server, instead of that of the kubeconfig" }),
  }),
  ...secureServingFlags({
    port: 10259,
    pair: "kube-scheduler",
    without: "a certificate that is made at each start, and kept nowhere",
    zero: "serves nothing",
  }),
  ...delegatedAuthenticationFlags({ tolerates: true }),
  ...delegatedAuthorizationFlags,
  ...section("Deprecated flags", {
    kubeconfig: stringFlag({
      usage:
        "the `FILE`, a kubeconfig, that says where the API server is and who this is; not looked at with --config (default: as a pod reaches its cluster)",
    }),
    "kube-api-qps": floatFlag({
      usage:
        "how many calls a second are made of the API server in the long run; not looked at with --config",
      default: 50,
    }),
    "kube-api-burst": intFlag({
      usage: "how many calls are made at once after a pause; not looked at with --config",
      default: 100,
    }),
    "kube-api-content-type": withoutEffect(
      "JSON is spoken with the API server",
      stringFlag({
        usage: "how objects are encoded in calls",
        default: "application/vnd.kubernetes.protobuf",
      }),
    ),
    profiling: withoutEffect(
      noProfiling,
      boolFlag({ usage: "whether /debug/pprof is served", default: true }),
    ),
    "contention-profiling": withoutEffect(
      noProfiling,
      boolFlag({ usage: "whether waiting is profiled, too", default: true }),
    ),
    "pod-max-in-unschedulable-pods-duration": withoutEffect(
      "pods are tried again after five minutes at the latest",
      durationFlag({
        usage: "after how long a pod is tried again though nothing has changed for it",
        default: 5 * 60_000,
      }),
    ),
  }),
  ...section("Leader election flags", leaderElectionFlags("kube-scheduler")),
  ...section("Feature gate flags", versionFlags),
  ...metricsFlags,
  ...logsFlags,
  ...globalFlags,
} as const;

export type SchedulerFlags = Values<typeof schedulerFlags>;

/** All that is wrong with the flags, or asks for what there is not; what the configuration says is its own matter. */
export function schedulerProblems(flags: SchedulerFlags, given: ReadonlySet<string>): string[] {
  return [
    ...secureServingProblems(flags, { canBeOff: true }),
    ...delegatedProblems(flags),
    ...loggingProblems(flags),
    ...refusals(schedulerFlags, flags, given),
  ];
}
