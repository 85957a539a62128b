import type { Log } from "../base/log.ts";
import { impersonationHeaders } from "../client/impersonated-user.ts";
import type { Transport, TransportRequest } from "../client/transport.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Runnable } from "../controller-runtime/manager/manager-options.ts";
import type { Controller } from "../controller-runtime/reconcile/controller-definition.ts";
import type { Cluster } from "../testing/cluster.ts";
import { startCluster } from "../testing/start-cluster.ts";

/** A cluster on a virtual clock in which something runs that may do what its service account may. */
export interface AccountedCluster extends Cluster {
  /** All that it has written but events, the oldest first. */
  readonly writes: TransportRequest[];
  /** Stops what runs. */
  stop(): Promise<void>;
  /** Has it end without a word: what it has sent is done, and it hears of nothing any more. */
  kill(): void;
  /** Stops what runs, and ends the cluster. */
  end(): Promise<void>;
}

export interface AccountedOptions {
  readonly runnables: readonly (Controller | Runnable)[];
  readonly log?: Log | undefined;
  /** Through what it calls. */
  readonly through?: ((transport: Transport) => Transport) | undefined;
}

/** Starts something in a cluster that is given, or in a new one. */
export async function accountedCluster(
  { runnables, log, through = (transport) => transport }: AccountedOptions,
  given?: Cluster,
): Promise<AccountedCluster> {
  const cluster = given ?? (await startCluster({ clock: "virtual", namespace: "default" }));
  const writes: TransportRequest[] = [];
  let isKilled = false;
  const reached = through(cluster.transport);
  const transport: Transport = async (request) => {
    const response = isKilled ? await never : await reached(request);
    return isKilled ? never : response;
  };
  const transportForAccount =
    (account: string): Transport =>
    async (request) => {
      if (request.method !== "GET" && !request.path.includes("/events")) writes.push(request);
      const user = `system:serviceaccount:kube-system:${account}`;
      const groups = ["system:serviceaccounts", "system:authenticated"];
      const headers = { ...request.headers, ...impersonationHeaders({ user, groups }) };
      return transport({ ...request, headers });
    };
  const stopping = new AbortController();
  const options = { ...cluster, transport, transportForAccount };
  const manager = createManager(log ? { ...options, log } : options);
  for (const one of runnables) manager.add(one);
  let isRunning = true;
  const running = manager.run({ signal: stopping.signal }).finally(() => {
    isRunning = false;
  });
  await cluster.settled();
  const stop = async (): Promise<void> => {
    stopping.abort();
    // Calls that are under way may take their time.
    while (isRunning) await cluster.advance("1s");
    await running;
  };
  return {
    ...cluster,
    writes,
    stop,
    kill() {
      isKilled = true;
      stopping.abort();
      running.catch(() => undefined);
    },
    async end() {
      await stop();
      await cluster.close();
    },
  };
}

const never = new Promise<never>(() => {});
