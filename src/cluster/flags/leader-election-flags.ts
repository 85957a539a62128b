import { boolFlag, durationFlag, stringFlag, type Values } from "../../cli/flag.ts";

/** The flags of leader election; `name` is the default name of the lease. */
export const leaderElectionFlags = (name: string) => ({
  "leader-elect": boolFlag({
    usage:
      "whether to elect a leader: only the process that holds the lease works, and one that loses it exits",
    default: true,
  }),
  "leader-elect-lease-duration": durationFlag({
    usage:
      "how long candidates wait after the last observed renewal before they take over the lease",
    default: 15_000,
  }),
  "leader-elect-renew-deadline": durationFlag({
    usage: "how long the leader retries a renewal before it gives up; less than the lease duration",
    default: 10_000,
  }),
  "leader-elect-retry-period": durationFlag({
    usage: "how long to wait between attempts to acquire or renew the lease",
    default: 2_000,
  }),
  "leader-elect-resource-lock": stringFlag({
    usage: "the type of the lock; only leases is supported",
    default: "leases",
  }),
  "leader-elect-resource-name": stringFlag({ usage: "the name of the lease", default: name }),
  "leader-elect-resource-namespace": stringFlag({
    usage: "the namespace of the lease",
    default: "kube-system",
  }),
});

export type LeaderElectionFlags = Values<ReturnType<typeof leaderElectionFlags>>;

/** Upstream lengthens retry periods by up to this factor, so that candidates do not retry together. */
const jitter = 1.2;

/** The problems of the values, in upstream's words. */
export function leaderElectionProblems(flags: LeaderElectionFlags): string[] {
  if (!flags["leader-elect"]) return [];
  const duration = flags["leader-elect-lease-duration"];
  const deadline = flags["leader-elect-renew-deadline"];
  const period = flags["leader-elect-retry-period"];
  const problems: [isWrong: boolean, problem: string][] = [
    [flags["leader-elect-resource-lock"] !== "leases", 'resourceLock value must be "leases"'],
    [duration <= deadline, "leaseDuration must be greater than renewDeadline"],
    [deadline <= jitter * period, "renewDeadline must be greater than retryPeriod*JitterFactor"],
    [duration < 1, "leaseDuration must be greater than zero"],
    [deadline < 1, "renewDeadline must be greater than zero"],
    [period < 1, "retryPeriod must be greater than zero"],
    [
      flags["leader-elect-resource-name"] === "" || flags["leader-elect-resource-namespace"] === "",
      "--leader-elect-resource-name and --leader-elect-resource-namespace must not be empty",
    ],
  ];
  return problems.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}
