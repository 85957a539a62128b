import { resolve } from "node:path";
import { command } from "../../cli/command.ts";
import { boolFlag, durationFlag, intFlag, stringFlag } from "../../cli/flag.ts";
import { UsageError } from "../../cli/parse-flags.ts";
import { loadBalancerRanges } from "../box/choose-ranges.ts";
import { kubernetesVersion } from "../version.ts";
import { bringUp, type Up } from "./bring-up.ts";
import { checkName, defaultName } from "./cluster-record.ts";
import { createProgress } from "./create-progress.ts";

/** Starts a cluster in the background and waits until it can be used. */
export const upCommand = command({
  name: "up",
  short: "Start a cluster in the background",
  long: `Start a cluster in the background and wait until it can be used. One process runs the API
server, controllers and scheduler. A context for the cluster is added to the kubeconfig and made the
current one, so that kubectl uses it; other entries are not changed.

On Linux, for root, nodes run containers, if runc and conmon are installed: each node is a box, which has
its own network, processes and folders, so that several nodes and clusters share one machine. Elsewhere,
and with --simulated, nodes are simulated: pods go through their phases, but no containers run.
"wherry image load --cluster NAME FILE" puts an image into all boxes of a cluster.

There can be several clusters with different names; the default name is "${defaultName}". A cluster
that is running already is not changed. A cluster keeps its data, its port and its number of
nodes across "wherry down" and reboots, until "wherry delete".

Exit codes: 0 when the cluster can be used, 1 when it cannot be started or is already running
with other flags, 2 when the command line is invalid, 130 when the command was interrupted,
which stops the cluster.`,
  arguments: "[NAME]",
  arity: { max: 1 },
  examples: `  wherry up
  kubectl create deployment web --image=nginx --replicas=3

  # A second cluster with five nodes, which is deleted by "wherry down ci"
  wherry up ci --nodes 5 --ephemeral
  wherry down ci`,
  flags: {
    nodes: intFlag({
      usage: "the number of nodes (default: the same as before, or 1)",
    }),
    simulated: boolFlag({
      usage:
        "simulate the nodes (default: the same as before, or only where containers cannot be run)",
    }),
    "simulated-nodes": intFlag({ usage: "the number of simulated nodes beside those of --nodes" }),
    port: intFlag({
      usage:
        "the port of the API server on 127.0.0.1; 0 chooses a free one (default: the same as before, or a free one)",
    }),
    "data-dir": stringFlag({
      usage:
        "the `DIR` for the cluster's data (default: a directory below $XDG_DATA_HOME/wherry or ~/.local/share/wherry)",
    }),
    ephemeral: boolFlag({
      usage: 'keep the data in a temporary directory that "wherry down" deletes',
    }),
    "dual-stack": boolFlag({
      usage:
        "give nodes, pods and services addresses of IPv4 and IPv6; for a new cluster, whose nodes run containers",
    }),
    kubeconfig: stringFlag({
      usage: "the kubeconfig `FILE` to add the context to (default: the one that kubectl uses)",
    }),
    wait: boolFlag({
      usage: "wait until nodes are ready, not only until the API server is",
      default: true,
    }),
    timeout: durationFlag({ usage: "how long to wait", default: 60_000 }),
  },
  async run({ flags, given, args: [name = defaultName], streams, signal }) {
    const problems = [
      ...(flags.nodes < 0 ? ["--nodes must not be negative"] : []),
      ...(flags["simulated-nodes"] < 0 ? ["--simulated-nodes must not be negative"] : []),
      ...(flags.port < 0 || flags.port > 65535 ? ["--port must be between 0 and 65535"] : []),
      ...(flags.timeout <= 0 ? ["--timeout must be more than 0"] : []),
      ...(flags.ephemeral && given.has("data-dir")
        ? [
            "--ephemeral and --data-dir exclude each other: wherry down never deletes a directory that you name",
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
          ...(given.has("simulated") && { isSimulated: flags.simulated }),
          ...(given.has("simulated-nodes") && { simulatedNodes: flags["simulated-nodes"] }),
          ...(given.has("port") && { port: flags.port }),
          ...(flags["data-dir"] !== "" && { dataDir: flags["data-dir"] }),
          ...(given.has("dual-stack") && { isDualStack: flags["dual-stack"] }),
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

/** Describes a cluster that is up, and the commands to try on it. */
function summary(up: Up, seconds: number): string {
  const { record, isNew, usesContext, admin } = up;
  const { name, port, realNodes = 0 } = record;
  const what = `${describeNodes(record)}, Kubernetes ${kubernetesVersion}, https://127.0.0.1:${port}`;
  const named = name === defaultName ? "" : ` ${name}`;
  if (!isNew) return `The cluster "${name}" is already running: ${what}.\n`;
  const context = usesContext
    ? `kubectl now uses it, through the context "${name}". Try:`
    : `To use it: export KUBECONFIG=${admin}, and then:`;
  const down = record.isEphemeral
    ? `  wherry down${named}     # stop it and delete its data`
    : `  wherry down${named}     # stop it; "wherry up${named}" starts it again with the same data`;
  const nodes =
    realNodes > 0 && record.ranges
      ? `Services of type LoadBalancer get addresses of ${loadBalancerRanges(record.ranges).join(" and ")}, which this machine reaches.\n`
      : "Nodes are simulated: pods go through their phases, but no containers run.\n";
  return `The cluster "${name}" is up (${seconds.toFixed(1)} s): ${what}.
${nodes}
${context}
  kubectl create deployment web --image=nginx --replicas=3
  kubectl get pods
${down}
`;
}

/** Such as `2 nodes and 1 simulated node`. */
function describeNodes({ nodes, realNodes = 0 }: Up["record"]): string {
  const counted = (count: number, what: string): string =>
    `${count} ${what}${count === 1 ? "" : "s"}`;
  const simulated = counted(nodes - realNodes, "simulated node");
  if (realNodes === 0) return simulated;
  const real = counted(realNodes, "node");
  return nodes > realNodes ? `${real} and ${simulated}` : real;
}
