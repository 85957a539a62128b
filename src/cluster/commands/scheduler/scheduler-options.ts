import { errorMessage } from "../../../base/error-message.ts";
import { readGiven } from "../../../platform/given-files.ts";
import {
  completed,
  type KubeSchedulerConfiguration,
  parseConfiguration,
} from "../../../scheduler/parse-configuration.ts";
import { formatDuration, parseDuration } from "../../../schema/values/duration.ts";
import type { LeaderElectionFlags } from "../../flags/leader-election-flags.ts";
import type { SchedulerFlags } from "./scheduler-flags.ts";

/** The configuration of a scheduler, from its file or from flags; leader election flags override both. */
export async function schedulerConfiguration(
  flags: SchedulerFlags,
  given: ReadonlySet<string>,
  features: ReadonlySet<string>,
): Promise<KubeSchedulerConfiguration> {
  const base: KubeSchedulerConfiguration =
    flags.config === ""
      ? {
          clientConnection: clientConnection(flags),
          enableProfiling: flags.profiling,
          enableContentionProfiling: flags["contention-profiling"],
        }
      : await readFile(flags.config, features);
  const leaderElection = { ...base.leaderElection, ...election(flags, given) };
  return completed({ ...base, leaderElection }, features);
}

async function readFile(
  path: string,
  features: ReadonlySet<string>,
): Promise<KubeSchedulerConfiguration> {
  const text = await readGiven({ flag: "config", path });
  try {
    return parseConfiguration(text, features);
  } catch (error) {
    throw new Error(`${path}, given by --config, cannot be used: ${errorMessage(error)}`);
  }
}

const clientConnection = (flags: SchedulerFlags) => ({
  kubeconfig: flags.kubeconfig,
  contentType: flags["kube-api-content-type"],
  qps: flags["kube-api-qps"],
  burst: flags["kube-api-burst"],
});

type Election = NonNullable<KubeSchedulerConfiguration["leaderElection"]>;

/** The leader election that flags configure. */
function election(flags: SchedulerFlags, given: ReadonlySet<string>): Election {
  const duration = (ms: number): string => formatDuration(BigInt(Math.round(ms * 1e6)));
  const settings: [name: keyof LeaderElectionFlags, value: Election][] = [
    ["leader-elect", { leaderElect: flags["leader-elect"] }],
    [
      "leader-elect-lease-duration",
      { leaseDuration: duration(flags["leader-elect-lease-duration"]) },
    ],
    [
      "leader-elect-renew-deadline",
      { renewDeadline: duration(flags["leader-elect-renew-deadline"]) },
    ],
    ["leader-elect-retry-period", { retryPeriod: duration(flags["leader-elect-retry-period"]) }],
    ["leader-elect-resource-lock", { resourceLock: flags["leader-elect-resource-lock"] }],
    ["leader-elect-resource-name", { resourceName: flags["leader-elect-resource-name"] }],
    [
      "leader-elect-resource-namespace",
      { resourceNamespace: flags["leader-elect-resource-namespace"] },
    ],
  ];
  return Object.assign(
    {},
    ...settings.flatMap(([name, value]) => (given.has(name) ? [value] : [])),
  );
}

/** The leader election of a configuration, as values of flags. */
export function electionFlags({
  leaderElection = {},
}: KubeSchedulerConfiguration): LeaderElectionFlags {
  const ms = (text = "0s"): number => Number(parseDuration(text)) / 1e6;
  return {
    "leader-elect": leaderElection.leaderElect ?? true,
    "leader-elect-lease-duration": ms(leaderElection.leaseDuration),
    "leader-elect-renew-deadline": ms(leaderElection.renewDeadline),
    "leader-elect-retry-period": ms(leaderElection.retryPeriod),
    "leader-elect-resource-lock": leaderElection.resourceLock ?? "",
    "leader-elect-resource-name": leaderElection.resourceName ?? "",
    "leader-elect-resource-namespace": leaderElection.resourceNamespace ?? "",
  };
}
