import { writeFile } from "node:fs/promises";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { ConfigurationError } from "../../../scheduler/parse-configuration.ts";
import { createScheduler } from "../../../scheduler/scheduler.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { runComponent } from "../../component/run-component.ts";
import { profilePages } from "../../debugging/profile-pages.ts";
import { chooseFeatures, schedulerFeatures } from "../../flags/ignored-features.ts";
import { leaderElectionProblems } from "../../flags/leader-election-flags.ts";
import { metricSelection } from "../../flags/metrics-flags.ts";
import { notices } from "../../flags/server-flag.ts";
import { warningsOf } from "../../flags/settings-without-effect.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import { printVersion, reportedVersion } from "../../flags/version-flag.ts";
import { logChoice, openLog } from "../../opening/open-log.ts";
import { connectExtender } from "./connect-extender.ts";
import { ignoredSettings } from "./ignored-settings.ts";
import { schedulerFlags, schedulerProblems } from "./scheduler-flags.ts";
import { electionFlags, schedulerConfiguration } from "./scheduler-options.ts";

/** Runs only the scheduler, against an API server, until a signal stops it. */
export const schedulerCommand = command({
  name: "scheduler",
  short: "Run the scheduler",
  long: `Run the scheduler against an API server, in the foreground.

The scheduler finds a node for each pod that has none: it filters out the nodes that do not
suit the pod, ranks the others, and binds the pod to the best one. "wherry server" runs it in
one process with the API server. This command runs only the scheduler, against Wherry's API
server or another one of Kubernetes v1.36.

The flags are those of kube-scheduler, with the same meaning; "_" may be used instead of "-".
Scheduling is configured in a file, given by --config:

  apiVersion: kubescheduler.config.k8s.io/v1
  kind: KubeSchedulerConfiguration
  clientConnection:
    kubeconfig: ./data/admin.kubeconfig
  profiles:
  - schedulerName: default-scheduler
    plugins:
      score:
        disabled:
        - name: ImageLocality

--write-config-to writes such a file with all fields and their defaults.

If several schedulers run, only the leader works: the one that holds the lease
kube-system/kube-scheduler. A scheduler that loses the lease exits with code 1 and should be
restarted; with --leader-elect=false there is no election. --secure-port serves /healthz,
/livez and /readyz (with ?verbose) to everybody. /metrics, /configz, /flagz and /statusz are
for users that the API servers of --authentication-kubeconfig and --authorization-kubeconfig
authenticate and authorize.

On SIGUSR2 the scheduler logs how its cache of nodes and pods differs from the API server's
objects, and then the cache and the queue of pending pods.

Exit codes: 0 when stopped, 1 when it failed or lost its lease, 2 when the flags are invalid.`,
  examples: `  # With an API server on this machine
  wherry apiserver --data-dir ./data &
  wherry scheduler --kubeconfig ./data/admin.kubeconfig

  # With your own configuration
  wherry scheduler --write-config-to scheduler.yaml
  wherry scheduler --config scheduler.yaml`,
  flags: schedulerFlags,
  async run({ flags, given, streams, signal }) {
    if (printVersion(flags.version, streams.stdout)) return 0;
    const problems = schedulerProblems(flags, given);
    const gates = flags["feature-gates"];
    const { features, warnings } = await chooseFeatures(gates, problems, schedulerFeatures);
    if (problems.length > 0) throw new UsageError(problems);
    const configuration = await schedulerConfiguration(flags, given, features).catch(
      (error: unknown) => {
        // Each problem is reported on a line of its own, like problems of flags.
        throw error instanceof ConfigurationError ? new UsageError(error.problems) : error;
      },
    );
    const election = electionFlags(configuration);
    const electionProblems = leaderElectionProblems(election);
    if (electionProblems.length > 0) throw new UsageError(electionProblems);
    if (flags["write-config-to"] !== "") {
      await writeFile(flags["write-config-to"], toYaml(configuration));
      return 0;
    }
    const metrics = await metricSelection(flags);
    const log = openLog(logChoice(flags));
    for (const warning of [...notices(schedulerFlags, given), ...warnings])
      log.warn("flag warning", { warning });
    // A flag says so itself.
    if (flags.config !== "")
      for (const warning of warningsOf(ignoredSettings, configuration))
        log.warn("configuration warning", { warning });
    const shown = shownFlags(schedulerFlags, flags);
    log.info("starting", { version: reportedVersion(flags.version) });
    log.debug("flags", shown);
    const { clientConnection: { kubeconfig = "", qps = 50, burst = 100 } = {} } = configuration;
    return runComponent(
      {
        name: "kube-scheduler",
        flags: { ...flags, ...election },
        metrics,
        connection: { kubeconfig, master: flags.master },
        limit: { qps, burst },
        usesAccounts: false,
        pages: {
          configuration: { componentconfig: configuration },
          flags: shown,
          ...(configuration.enableProfiling && { profiles: profilePages() }),
        },
        manager: {},
        add: (manager) =>
          manager.add(
            createScheduler({ configuration, features, connectExtender, onReportRequest }),
          ),
        log,
      },
      { signal, streams },
    );
  },
});

function onReportRequest(report: () => void): () => void {
  process.on("SIGUSR2", report);
  return () => process.off("SIGUSR2", report);
}
