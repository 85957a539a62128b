import { durationFlag, floatFlag, intFlag, stringFlag, type Values } from "../../../cli/flag.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  delegatedProblems,
} from "../../flags/delegated-flags.ts";
import { globalFlags } from "../../flags/global-flags.ts";
import { leaderElectionFlags } from "../../flags/leader-election-flags.ts";
import { metricsFlags, metricsProblems } from "../../flags/metrics-flags.ts";
import { loggingProblems, logsFlags } from "../../flags/observing-flags.ts";
import { profilingFlags } from "../../flags/profiling-flags.ts";
import { secureServingFlags, secureServingProblems } from "../../flags/secure-serving-flags.ts";
import { refusals, section, withoutEffect } from "../../flags/server-flag.ts";
import { versionFlags } from "../../flags/version-flags.ts";

/** All flags of the scheduler, in upstream's sections. */
export const schedulerFlags = {
  ...section("Misc flags", {
    config: stringFlag({
      usage:
        "the `FILE` with a KubeSchedulerConfiguration (kubescheduler.config.k8s.io/v1): profiles, plugins and their arguments, and the connection to the API server",
    }),
    "write-config-to": stringFlag({
      usage: "write the configuration of the flags and --config to this `FILE`, and exit",
    }),
    master: stringFlag({ usage: "the `URL` of the API server, which overrides the kubeconfig" }),
  }),
  ...secureServingFlags({
    port: 10259,
    pair: "kube-scheduler",
    without: "a new certificate at each start, in memory only",
    zero: "disables serving",
  }),
  ...delegatedAuthenticationFlags({ tolerates: true }),
  ...delegatedAuthorizationFlags,
  ...section("Deprecated flags", {
    kubeconfig: stringFlag({
      usage:
        "the kubeconfig `FILE` with the API server and the credentials; ignored with --config (default: the in-cluster configuration)",
    }),
    "kube-api-qps": floatFlag({
      usage: "the average number of requests per second to the API server; ignored with --config",
      default: 50,
    }),
    "kube-api-burst": intFlag({
      usage: "the maximum burst of requests to the API server; ignored with --config",
      default: 100,
    }),
    "kube-api-content-type": withoutEffect(
      "requests to the API server are encoded as JSON",
      stringFlag({
        usage: "the content type of requests",
        default: "application/vnd.kubernetes.protobuf",
      }),
    ),
    ...profilingFlags({ profiling: true, contention: true }),
    "pod-max-in-unschedulable-pods-duration": withoutEffect(
      "pods are retried after five minutes at the latest",
      durationFlag({
        usage: "after how long an unschedulable pod is retried without a cluster event",
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

/** All problems of the flags, including unsupported values; the configuration is checked elsewhere. */
export function schedulerProblems(flags: SchedulerFlags, given: ReadonlySet<string>): string[] {
  return [
    ...secureServingProblems(flags, { canBeOff: true }),
    ...delegatedProblems(flags),
    ...metricsProblems(flags),
    ...loggingProblems(flags),
    ...refusals(schedulerFlags, flags, given),
  ];
}
