import { hostname } from "node:os";
import type { AggregationOptions } from "../../../apiserver/aggregation/remote-servers.ts";
import { defaultServiceRange } from "../../../apiserver/allocation/service-network.ts";
import type { Peer } from "../../../apiserver/request/request.ts";
import { coalesceCalls } from "../../../base/coalesce-calls.ts";
import type { Log } from "../../../base/log.ts";
import { hostPort } from "../../../base/network.ts";
import { command } from "../../../cli/command.ts";
import { intFlag, stringsFlag, type Values } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { createClient } from "../../../client/client.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import { LeadershipLostError } from "../../../controller-runtime/election/leader-election-options.ts";
import { controllerListProblems } from "../../../controllers/known-controllers.ts";
import { hmacSha256 } from "../../../platform/hmac-sha256.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { realNetwork } from "../../../platform/real-network.ts";
import { systemRandom } from "../../../platform/system-entropy.ts";
import { loadBalancerRanges } from "../../box/choose-ranges.ts";
import { ipv6Ranges } from "../../box/ipv6-ranges.ts";
import { section } from "../../flags/server-flag.ts";
import { inProcessTransport } from "../../in-process/in-process-transport.ts";
import { ensureClusterDns } from "../../join/ensure-cluster-dns.ts";
import { ensureLocalVolumes } from "../../join/ensure-local-volumes.ts";
import { ensureNodeAccess } from "../../join/node-access.ts";
import { publishClusterInfo } from "../../join/publish-cluster-info.ts";
import { openMachineRoutes } from "../../node/machine-routes.ts";
import { type NodeBoxes, type NodeBoxesOptions, openNodeBoxes } from "../../node/node-boxes.ts";
import { openLog } from "../../opening/open-log.ts";
import { type RunningServer, type StartOptions, start } from "../apiserver/apiserver.ts";
import { startOptions } from "../apiserver/apiserver-options.ts";
import { apiserverFlags } from "../apiserver/flags/apiserver-flags.ts";
import { type Component, controlPlane } from "./control-plane.ts";
import { nodeNetwork } from "./node-network.ts";
import {
  type PodRangeValues,
  podRangeFlags,
  podRangeProblems,
  podRangeSettings,
} from "./pod-range-flags.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";

/** Kubelets are reached by address: the names of machines need not be known here. */
const preferredAddressTypes = ["InternalIP", "ExternalIP", "Hostname"];

/** The flags of a cluster in the foreground. */
export const serverFlags = {
  ...section("Wherry flags", {
    nodes: intFlag({ usage: "the number of simulated nodes", default: 1 }),
    controllers: stringsFlag({
      usage:
        "the controllers to run, as of \"wherry controller-manager\"; those by which nodes join are on by default, and '-foo' excludes one",
      default: ["*"],
    }),
    ...podRangeFlags,
  }),
  ...apiserverFlags,
  // Nodes join with bootstrap tokens.
  "enable-bootstrap-token-auth": {
    ...apiserverFlags["enable-bootstrap-token-auth"],
    default: true,
  },
  "kubelet-preferred-address-types": {
    ...apiserverFlags["kubelet-preferred-address-types"],
    default: preferredAddressTypes,
    shownDefault: `[${preferredAddressTypes.join(",")}]`,
  },
};

type ServerFlags = Values<typeof serverFlags>;

const localVolumes = "local-volume-provisioner-controller";

/** The controllers that nodes need to join, which are off by default in a controller manager. */
const joinControllers = [
  "bootstrap-signer-controller",
  "cluster-dns-endpoints-controller",
  localVolumes,
  "token-cleaner-controller",
  "kubelet-serving-approving-controller",
];

/** Runs a whole cluster in the foreground, until a signal stops it. */
export const serverCommand = command({
  name: "server",
  short: "Run a cluster in the foreground",
  long: `Run a cluster in the foreground. One process runs the API server, controllers, scheduler and
simulated nodes, on a store in the data directory. "wherry up" does the same in the
background. Several processes may share one etcd (--etcd-servers): each component elects a
leader among them.

Nodes are simulated: pods go through their phases, but no containers run. With --nodes 0
there are no nodes. Other machines join with a token of "wherry token create".

All flags of "wherry apiserver" are accepted, with the same meaning; see its help. The
admission plugin NodeRestriction is on by default.`,
  examples: `  # Start on a free port, and use it from another terminal
  wherry server --data-dir ./data --secure-port 0
  kubectl --kubeconfig ./data/admin.kubeconfig get nodes`,
  flags: serverFlags,
  run: (context) =>
    serveUntilStopped(context, serverFlags, async (given) => {
      const flags = given.flags as ServerFlags;
      const { nodes, controllers } = flags;
      const problems = [...controllerListProblems(controllers), ...podRangeProblems(flags)];
      if (nodes < 0) problems.push("--nodes must not be negative");
      if (problems.length > 0) throw new UsageError(problems);
      return startServer({
        ...(await startOptions(given)),
        nodes,
        controllers,
        podRanges: flags,
        ...givenBoxes(flags),
      });
    }),
});

export interface ServerOptions extends StartOptions {
  /** The number of simulated nodes. */
  readonly nodes: number;
  /** The controllers to run, as in `--controllers`; all by default. */
  readonly controllers?: readonly string[];
  /** Which ranges of pod addresses nodes get that join. */
  readonly podRanges?: PodRangeValues | undefined;
  /** The nodes that are boxes of this machine. */
  readonly boxes?: Pick<NodeBoxesOptions, "cluster" | "count" | "ranges"> | undefined;
}

/** The boxes that the flags of a cluster in the background describe. */
function givenBoxes(flags: object): Pick<ServerOptions, "boxes"> {
  const given = flags as Partial<Record<BoxFlag, string>> & { readonly "real-nodes"?: number };
  const { "cluster-name": cluster = "", "real-nodes": count = 0, gateway = "" } = given;
  const { "node-range": nodes = "", "pod-range": pods = "" } = given;
  const { "ipv6-prefix": ipv6 = "" } = given;
  const ranges = { nodes, pods, gateway, ...(ipv6 !== "" && { ipv6 }) };
  return count === 0 ? {} : { boxes: { cluster, count, ranges } };
}

type BoxFlag = "cluster-name" | "node-range" | "pod-range" | "gateway" | "ipv6-prefix";

/** Starts an API server and the other components of a cluster. */
export async function startServer(
  given: ServerOptions,
): Promise<RunningServer & { readonly failed: Promise<never> }> {
  const options = withBothFamilies(given);
  const network = nodeNetwork(realNetwork);
  const boxes = options.boxes && (await openBoxes(options.boxes, options));
  const server = await start({
    bootstrapTokens: true,
    verifiesKubelets: true,
    encryptsSecrets: true,
    ...options,
    ...(options.boxes && reachedFromBoxes(options.boxes.ranges.gateway)),
    core: {
      ...options.core,
      ...restrictingNodes(options.core),
      network,
      resourceMetrics: true,
      aggregation: reachingServices(options.core?.aggregation, boxes),
      kubelet: { preferredAddressTypes, ...options.core?.kubelet },
    },
  });
  const { core, log, presentRootCa, certificateSigners } = server;
  const { controllers: words = ["*"] } = options;
  const chosen = words.includes("*") ? [...words, ...joinControllers] : words;
  const transportAs = (peer: Peer) => inProcessTransport(core.handle, peer);
  const client = createClient(transportAs(administrator), { clock: realClock });
  const publish = coalesceCalls(() =>
    publishClusterInfo(client, { ...server.publicAddress, ca: presentRootCa.current }),
  );
  const unfollow = presentRootCa.onChange(
    () =>
      void publish().catch((error: unknown) =>
        log.error("publishing the address of the cluster failed", error),
      ),
  );
  const [clusterDns] = await Promise.all([
    ensureClusterDns(client),
    // Nodes may join, and find out how to reach the server.
    ensureNodeAccess(client),
    publish(),
    ...(chosen.includes(`-${localVolumes}`) ? [] : [ensureLocalVolumes(client)]),
  ]);
  const balancers = options.boxes ? loadBalancerRanges(options.boxes.ranges) : [];
  const components = controlPlane({
    transportAs,
    clock: realClock,
    ticks: () => performance.now(),
    random: systemRandom,
    log,
    metrics: core.metrics.all,
    host: hostname(),
    inputs: {
      rootCa: presentRootCa,
      tokenSigner: server.tokenSigner,
      certificateSigners,
      hmacSha256,
      features: options.features ?? new Set(),
    },
    settings: {
      ...podRangeSettings(options.podRanges ?? {}, options.boxes?.ranges),
      "load-balancer-range": balancers.join(","),
    },
    controllers: chosen,
    nodes: simulatedNodes(options),
    network,
    isShared: options.etcd !== undefined,
  });
  const { gateway = "" } = options.boxes?.ranges ?? {};
  await boxes?.startAgents({
    server: `https://${hostPort(gateway, server.port)}`,
    ...{ pki: server.presentPki, clusterDns },
  });
  const informers = createInformers({ client, clock: realClock, random: systemRandom, log });
  const routes =
    boxes && openMachineRoutes({ informers, boxes: boxes.addresses, ranges: balancers, log });
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
      unfollow();
      try {
        await routes?.close();
        informers.close();
        await boxes?.close();
        await running;
      } finally {
        await server.close();
      }
    },
  };
}

/** Where boxes have addresses of both families, services get them, too. */
function withBothFamilies(options: ServerOptions): ServerOptions {
  const { ipv6 } = options.boxes?.ranges ?? {};
  const range = options.serviceRange || defaultServiceRange;
  if (ipv6 === undefined || range.includes(",")) return options;
  return { ...options, serviceRange: `${range},${ipv6Ranges(ipv6).services}` };
}

const administrator: Peer = { commonName: "wherry", organizations: ["system:masters"] };

/** Nodes of a cluster may write only what is theirs, unless the plugin is disabled. */
function restrictingNodes({
  admission = {},
  flags,
}: NonNullable<StartOptions["core"]> = {}): NonNullable<StartOptions["core"]> {
  if (admission.disable?.includes(nodePlugin)) return {};
  const enable = [...new Set([...(admission.enable ?? []), nodePlugin])];
  return {
    admission: { ...admission, enable },
    // `/flagz` shows what is on.
    ...(flags && { flags: { ...flags, [pluginsFlag]: `[${enable.join(",")}]` } }),
  };
}

const pluginsFlag = "enable-admission-plugins";

const nodePlugin = "NodeRestriction";

/** The numbers of simulated nodes follow those of boxes. */
const simulatedNodes = ({ nodes, boxes }: ServerOptions): readonly { readonly name: string }[] =>
  Array.from({ length: nodes }, (_, i) => ({ name: `node-${(boxes?.count ?? 0) + i + 1}` }));

/** Boxes reach the server at the machine's address on their network, which other members learn, too. */
const reachedFromBoxes = (gateway: string): Partial<StartOptions> => ({
  alsoListen: [gateway],
  advertiseAddress: gateway,
});

/** Webhooks and aggregated servers are reached by their pods where the machine has no route to services. */
const reachingServices = (given: AggregationOptions = {}, boxes?: NodeBoxes): AggregationOptions =>
  !boxes || boxes.reachesServices || given.toEndpoints
    ? given
    : { ...given, toEndpoints: "of-cluster-ips" };

/** Opens the boxes before the server, which listens on an address that exists with them. */
function openBoxes(
  boxes: NonNullable<ServerOptions["boxes"]>,
  { dir, log, serviceRange: ranges, certificateLifetimeMs }: ServerOptions,
): Promise<NodeBoxes> {
  const [serviceRange = ""] = (ranges || defaultServiceRange).split(",");
  return openNodeBoxes({
    ...{ ...boxes, serviceRange, certificateLifetimeMs },
    ...{ dataDir: dir, log: openLog(log) },
  });
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
