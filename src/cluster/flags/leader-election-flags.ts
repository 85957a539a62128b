import { boolFlag, durationFlag, stringFlag, type Values } from "../../cli/flag.ts";

/** How one of several servers of a kind is chosen; `name` is what their lease is called. */
export const leaderElectionFlags = (name: string) => ({
  "leader-elect": boolFlag({
    usage:
      "whether only one of several servers works at a time: the one that holds a lease. One that loses it ends",
    default: true,
  }),
  "leader-elect-lease-duration": durationFlag({
    usage: "how long others leave the lease alone after they saw it renewed",
    default: 15_000,
  }),
  "leader-elect-renew-deadline": durationFlag({
    usage: "how long the leader goes on without having renewed the lease; less than its duration",
    default: 10_000,
  }),
  "leader-elect-retry-period": durationFlag({
    usage: "how long is waited from one try to get or renew the lease to the next",
    default: 2_000,
  }),
  "leader-elect-resource-lock": stringFlag({
    usage: "what is held by the leader; only leases can be",
    default: "leases",
  }),
  "leader-elect-resource-name": stringFlag({ usage: "the name of the lease", default: name }),
  "leader-elect-resource-namespace": stringFlag({
    usage: "the namespace of the lease",
    default: "kube-system",
  }),
});

export type LeaderElectionFlags = Values<ReturnType<typeof leaderElectionFlags>>;

/** A period of a candidate may take this much longer, so that candidates do not try at once. */
const jitter = 1.2;

/** What is wrong with the values, in upstream's words. */
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
