import { resolve } from "node:path";
import { command } from "../../cli/command.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { kubernetesVersion } from "../version.ts";
import { bringUp, type Up } from "./bring-up.ts";
import { checkName, defaultName } from "./cluster-record.ts";
import { createProgress } from "./create-progress.ts";

/** Starts a cluster in the background, and waits until it can be used. */
export const upCommand = command({
  name: "up",
  short: "Start a cluster in the background",
  long: `Start a cluster in the background, and wait until it can be used: API server, controllers,
scheduler and simulated nodes, in one process. Its context is put into the kubeconfig, where
nothing else is changed, and becomes the current one: kubectl speaks to it from then on.

Nodes are simulated: pods go through their phases, and nothing is really run.

There may be several clusters, each by its name; without one, "${defaultName}" is meant. A cluster
that is up already stays as it is. What is in it outlives "wherry down" and reboots, until
"wherry delete"; so do its port and its number of nodes, unless other ones are given.

Exit codes: 0 when the cluster can be used, 1 when it cannot be started or runs with other
flags, 2 when the command line makes no sense, 130 when it was interrupted: what it had
started is stopped then.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  examples: `  wherry up
  kubectl create deployment web --image=nginx --replicas=3

  # Another one, with five nodes, that leaves nothing behind
  wherry up ci --nodes 5 --ephemeral
  wherry down ci`,
  flags: {
    nodes: intFlag({
      usage: "how many simulated nodes there are (default: as many as before, or 1)",
    }),
    port: intFlag({
      usage:
        "the port of the API server, on this machine only; 0 takes a free one (default: the same as before, or a free one)",
    }),
    "data-dir": stringFlag({
      usage:
        "the `DIR` that holds all state (default: a directory of the cluster's own below $XDG_DATA_HOME/wherry, or ~/.local/share/wherry)",
    }),
    ephemeral: boolFlag({
      usage: 'whether its state is in a temporary directory, and goes with "wherry down"',
    }),
    kubeconfig: stringFlag({
      usage: "the `FILE` to put its context into (default: as kubectl finds its own)",
    }),
    wait: boolFlag({
      usage: "whether to wait until nodes are ready, not only until the API server answers",
      default: true,
    }),
    timeout: durationFlag({ usage: "how long to wait", default: 60_000 }),
  },
  async run({ flags, given, args: [name = defaultName], streams, signal }) {
    const problems = [
      ...(flags.nodes < 0 ? ["--nodes must not be negative"] : []),
      ...(flags.port < 0 || flags.port > 65535 ? ["--port must be between 0 and 65535"] : []),
      ...(flags.timeout <= 0 ? ["--timeout must be more than 0"] : []),
      ...(flags.ephemeral && given.has("data-dir")
        ? [
            "--ephemeral and --data-dir exclude each other: what is in a directory that you name stays",
          ]
        : []),
    ];
    if (problems.length > 0) throw new UsageError(problems);
    checkName(name);
    const progress = createProgress(streams.stderr);
    const began = performance.now();
    try {
      const up = await bringUp({
        name,
        asked: {
          ...(given.has("nodes") && { nodes: flags.nodes }),
          ...(given.has("port") && { port: flags.port }),
          ...(flags["data-dir"] !== "" && { dataDir: flags["data-dir"] }),
          ...(given.has("ephemeral") && { isEphemeral: flags.ephemeral }),
        },
        kubeconfig: flags.kubeconfig === "" ? undefined : resolve(flags.kubeconfig),
        waits: flags.wait,
        timeoutMs: flags.timeout,
        progress,
        signal,
      });
      progress.end();
      for (const warning of up.warnings) streams.stderr.write(`Warning: ${warning}\n`);
      streams.stdout.write(summary(up, (performance.now() - began) / 1000));
      return 0;
    } catch (error) {
      progress.end();
      if (!signal.aborted) throw error;
      streams.stderr.write(`interrupted: the cluster "${name}" is not running\n`);
      return 130;
    }
  },
});

/** What to know of a cluster that is up, and what to do with it. */
function summary(up: Up, seconds: number): string {
  const { record, isNew, usesContext, admin } = up;
  const { name, nodes, port } = record;
  const what = `${nodes} simulated ${nodes === 1 ? "node" : "nodes"}, Kubernetes ${kubernetesVersion}, https://127.0.0.1:${port}`;
  const named = name === defaultName ? "" : ` ${name}`;
  if (!isNew) return `The cluster "${name}" is up already: ${what}.\n`;
  const context = usesContext
    ? `kubectl uses it from now on, by the context "${name}". Try:`
    : `To use it: export KUBECONFIG=${admin}, and then:`;
  const down = record.isEphemeral
    ? `  wherry down${named}     # to stop it and remove all that is in it`
    : `  wherry down${named}     # to stop it; what is in it stays for the next "wherry up${named}"`;
  return `The cluster "${name}" is up (${seconds.toFixed(1)} s): ${what}.
Nodes are simulated: pods go through their phases, and nothing is really run.

${context}
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods
${down}
`;
}
