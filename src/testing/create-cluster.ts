import type { ApiRequest, ApiResponse } from "../apiserver/request/request.ts";
import type { ApiServer } from "../apiserver/server.ts";
import type { ForkOptions } from "../apiserver/server-options.ts";
import { seededEntropy } from "../base/entropy.ts";
import type { SeededRandom } from "../base/random.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "../client/client.ts";
import { type Transport, TransportError } from "../client/transport.ts";
import type { ControlPlaneOptions } from "../cluster/commands/server/control-plane.ts";
import { nodeNetwork } from "../cluster/commands/server/node-network.ts";
import { InProcessServers } from "../cluster/in-process/in-process-servers.ts";
import { inProcessTransport } from "../cluster/in-process/in-process-transport.ts";
import { constantValue } from "../controller-runtime/reconcile/changing-value.ts";
import { localVolumesModule } from "../controllers/localvolumes/local-volumes-module.ts";
import { kubectl } from "../kubectl/kubectl.ts";
import { parseDuration } from "../schema/values/duration.ts";
import type { MemoryStore } from "../store/memory/memory-store.ts";
import type { Cluster } from "./cluster.ts";
import { RealTime } from "./real-time.ts";
import { type RunningControllers, runControllers } from "./run-controllers.ts";
import { runningComponents } from "./running-components.ts";
import { serveWebhook } from "./serve-webhook.ts";
import { whenIdle } from "./when-idle.ts";

/** The parts of a cluster. */
export interface ClusterParts {
  /** The server and store to fork. */
  readonly from: { readonly server: ApiServer; readonly store: MemoryStore };
  /** The initial time of a virtual clock; undefined selects the machine's clock. */
  readonly now: number | undefined;
  readonly random: ClusterRandom;
  readonly namespace: string | undefined;
  /** The components beside the API server. Default: none. */
  readonly controlPlane: Pick<ControlPlaneOptions, "log" | "nodes"> | undefined;
  /** The features that are on and are not by default. */
  readonly features: ReadonlySet<string>;
  /** The servers of the cluster that this one is a fork of: the API server calls them, too. */
  readonly servers?: InProcessServers;
  /** Options that differ from those of the forked server. */
  readonly options: Omit<ForkOptions, "store" | "clock" | "entropy" | "random">;
}

/** The random sources of the server, the components and the test. */
interface ClusterRandom {
  readonly server: SeededRandom;
  readonly controlPlane: SeededRandom;
  readonly others: SeededRandom;
}

/** A cluster, and what a fork of it needs. */
export interface AssembledCluster {
  readonly cluster: Cluster;
  readonly state: ClusterParts["from"];
  /** Stops the components at once, as if their processes were killed. */
  halt(): void;
}

/** Creates a cluster as a fork of another. */
export const createCluster = (parts: ClusterParts): Cluster => assembleCluster(parts).cluster;

/** Creates a cluster and also returns its parts. */
export function assembleCluster(parts: ClusterParts): AssembledCluster {
  const { from, now, random, namespace, features, options } = parts;
  let activity = 0;
  const settle = (): Promise<void> => whenIdle(() => activity);
  const clock = now === undefined ? new RealTime() : new VirtualClock(now, { settle });
  const store = from.store.fork(clock);
  const servers = new InProcessServers(parts.servers);
  const network = nodeNetwork(servers);
  const server = from.server.fork({
    ...options,
    network,
    store,
    clock,
    random: random.server,
    entropy: seededEntropy(random.server),
  });
  const handle = async (request: ApiRequest): Promise<ApiResponse> => {
    activity++;
    const response = await server.handle(request);
    activity++;
    return response;
  };
  const open = inProcessTransport(handle, administrator);
  let isClosed = false;
  const transport: Transport = async (request) => {
    if (isClosed) throw new TransportError("the cluster is closed");
    return open(request);
  };
  const client = createClient(transport, { clock, namespace });
  const components = runningComponents({
    nodes: 0,
    ...parts.controlPlane,
    controllers: ["*", localVolumesModule.name],
    isEmpty: !parts.controlPlane,
    transportAs: (peer) => inProcessTransport(handle, peer),
    clock,
    random: random.controlPlane,
    faultRandom: random.others,
    inputs: { rootCa: constantValue(testRootCa), features },
    network,
  });
  const settled = async (): Promise<void> => {
    await settle();
    components.check();
  };
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    for (const running of runs) running.stop().catch(() => {});
    components.halt();
    server.close();
    await store.close();
    if (clock instanceof RealTime) clock.close();
  };
  const runs: RunningControllers[] = [];
  const cluster: Cluster = {
    client,
    transport,
    clock,
    random: random.others,
    server,
    faults: components.faults,
    as: (user) => client.as(typeof user === "string" ? { user } : user),
    kubectl: kubectl(client),
    async run(controllers, options = {}) {
      const all = Array.isArray(controllers) ? controllers : [controllers];
      const running = await runControllers(cluster, all, { accept: servers.accept, ...options });
      runs.push(running);
      return running;
    },
    serveWebhook: (decide) => serveWebhook(servers.accept, decide),
    fork: () =>
      createCluster({
        ...parts,
        servers,
        from: { server, store },
        now: now === undefined ? undefined : clock.now(),
        random: {
          server: random.server.fork(),
          controlPlane: random.controlPlane.fork(),
          others: random.others.fork(),
        },
      }),
    async advance(duration) {
      if (clock instanceof RealTime)
        throw new TypeError(
          'only a virtual clock can be advanced: startCluster({ clock: "virtual" })',
        );
      await clock.advance(milliseconds(duration));
      components.check();
    },
    settled,
    close,
    [Symbol.asyncDispose]: close,
  };
  return { cluster, state: { server, store }, halt: components.halt };
}

/** No client uses TLS: the published certificate only has to be constant. */
const testRootCa = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n";

const administrator = { commonName: "kubernetes-admin", organizations: ["system:masters"] };

function milliseconds(duration: number | string): number {
  const ms = typeof duration === "number" ? duration : Number(parseDuration(duration)) / 1e6;
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new RangeError(`time does not go on by ${duration}`);
}
