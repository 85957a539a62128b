import { hostname } from "node:os";
import type { Log } from "../../../base/log.ts";
import { command } from "../../../cli/command.ts";
import { intFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { LeadershipLostError } from "../../../controller-runtime/election/leader-election-options.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { realNetwork } from "../../../platform/real-network.ts";
import { systemRandom } from "../../../platform/system-entropy.ts";
import { section } from "../../flags/server-flag.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import { type RunningServer, type StartOptions, start } from "../apiserver/apiserver.ts";
import { startOptions } from "../apiserver/apiserver-options.ts";
import { apiserverFlags } from "../apiserver/flags/apiserver-flags.ts";
import { type Component, controlPlane } from "./control-plane.ts";
import { nodeNetwork } from "./node-network.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

const serverFlags = {
  ...section("Wherry flags", {
    nodes: intFlag({ usage: "the number of simulated nodes", default: 1 }),
  }),
  ...apiserverFlags,
};

/** Runs a whole cluster in the foreground, until a signal stops it. */
export const serverCommand = command({
  name: "server",
  short: "Run a cluster in the foreground",
  long: `Run a cluster in the foreground. One process runs the API server, controllers, scheduler and
simulated nodes, on a store in the data directory. "wherry up" does the same in the
background. Several processes may share one etcd (--etcd-servers): each component elects a
leader among them.

Nodes are simulated: pods go through their phases, but no containers run. With --nodes 0
there are no nodes.

All flags of "wherry apiserver" are accepted, with the same meaning; see its help.`,
  examples: `  # Start on a free port, and use it from another terminal
  wherry server --data-dir ./data --secure-port 0
  kubectl --kubeconfig ./data/admin.kubeconfig get nodes`,
  flags: serverFlags,
  run: (context) =>
    serveUntilStopped(context, serverFlags, async (given) => {
      const { nodes } = given.flags as typeof given.flags & { readonly nodes: number };
      if (nodes < 0) throw new UsageError(["--nodes must not be negative"]);
      return startServer({ ...(await startOptions(given)), nodes });
    }),
});

export interface ServerOptions extends StartOptions {
  /** The number of simulated nodes. */
  readonly nodes: number;
}

/** Starts an API server and the other components of a cluster. */
export async function startServer(
  options: ServerOptions,
): Promise<RunningServer & { readonly failed: Promise<never> }> {
  const network = nodeNetwork(realNetwork);
  const server = await start({ ...options, core: { ...options.core, network } });
  const { core, log, rootCa } = server;
  const components = controlPlane({
    transportAs: (peer) => inProcessTransport(core.handle, peer),
    clock: realClock,
    ticks: () => performance.now(),
    random: systemRandom,
    log,
    metrics: core.metrics.all,
    host: hostname(),
    inputs: { rootCa, tokenSigner: server.tokenSigner },
    nodes: options.nodes,
    network,
    isShared: options.etcd !== undefined,
  });
  const stop = new AbortController();
  const { signal } = stop;
  const running = Promise.all(components.map((one) => runOnceElected(one, { signal, log })));
  const failed = running.then(() => new Promise<never>(() => {}));
  // A caller that does not await this gets the error from `close`.
  failed.catch(() => undefined);
  return {
    ...server,
    failed,
    async close() {
      stop.abort();
      try {
        await running;
      } finally {
        await server.close();
      }
    },
  };
}

/** Runs a component; if it loses its leadership, a new one stands for election. */
async function runOnceElected(
  component: Component,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Log },
): Promise<void> {
  for (;;) {
    try {
      await component.create().run({ signal });
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof LeadershipLostError)) throw error;
      log.warn("leadership lost, standing for election again", { component: component.name });
    }
  }
}
