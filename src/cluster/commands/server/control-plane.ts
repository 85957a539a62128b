import type { Peer } from "../../../apiserver/request/request.ts";
import { type Client, createClient } from "../../../client/client.ts";
import type { Transport } from "../../../client/transport.ts";
import { type WriteLimit, writeLimits } from "../../../client/write-limits.ts";
import { createManager } from "../../../controller-runtime/manager/manager.ts";
import type {
  Manager,
  ManagerOptions,
} from "../../../controller-runtime/manager/manager-options.ts";
import { chooseControllers } from "../../../controllers/choose-controllers.ts";
import { type ControllerInputs, createParts } from "../../../controllers/controller-module.ts";
import { controllerModules } from "../../../controllers/controller-modules.generated.ts";
import {
  createSimulatedNodes,
  type SimulatedNodesOptions,
} from "../../../kubelet/simulated/simulated-nodes.ts";
import { createScheduler } from "../../../scheduler/scheduler.ts";
import { kubernetesVersion } from "../../version.ts";
import type { NodeNetwork } from "./node-network.ts";

export interface ControlPlaneOptions
  extends Pick<ManagerOptions, "clock" | "ticks" | "random" | "log" | "metrics" | "host"> {
  /** Calls the API server in the name of somebody, for a component. */
  readonly transportAs: (peer: Peer, component: ComponentName) => Transport;
  /** What controllers need that no flag holds. */
  readonly inputs?: Partial<ControllerInputs> | undefined;
  /** Which controllers run, in the words of `--controllers`; those that do by default if not given. */
  readonly controllers?: readonly string[] | undefined;
  /** Simulated nodes: so many, or these. */
  readonly nodes: SimulatedNodesOptions["nodes"];
  /** What stands between kubelets and their runtimes; nothing if not given. */
  readonly aroundRuntime?: SimulatedNodesOptions["around"];
  /** Where the API server finds the nodes. */
  readonly network: NodeNetwork;
  /** Whether other processes may have the same components, so that one of each kind is elected. */
  readonly isShared?: boolean | undefined;
}

/** A part of a cluster that runs, and may end, by itself. */
export interface Component {
  readonly name: ComponentName;
  /** The component, to be run once; another is made to start it anew. */
  create(): Manager;
}

export type ComponentName = "kube-controller-manager" | "kube-scheduler" | "kubelet";

/**
 * All that makes a cluster of an API server, in the same process. Each controller calls in the name of
 * its own service account. There is one of each component, and nobody is elected, unless the cluster
 * is shared.
 */
export function controlPlane(options: ControlPlaneOptions): readonly Component[] {
  const limitOf = writeLimits({ maxInFlight: mostWrites, clock: options.clock });
  const parts: Readonly<Record<ComponentName, (own: ComponentOptions) => Manager>> = {
    "kube-controller-manager": controllerManager,
    "kube-scheduler": scheduler,
    kubelet: kubelets,
  };
  return (Object.keys(parts) as ComponentName[]).map((name) => ({
    name,
    create: () => parts[name]({ ...options, limited: limitOf(name) }),
  }));
}

/** The same for one component, whose writes take turns. */
interface ComponentOptions extends ControlPlaneOptions {
  readonly limited: WriteLimit;
}

function controllerManager(options: ComponentOptions): Manager {
  const { inputs, controllers: words = ["*"] } = options;
  const manager = createManager({
    ...surroundings(options, "kube-controller-manager"),
    eventApi: "core",
  });
  for (const module of chooseControllers(controllerModules, words))
    for (const one of createParts(module, { inputs })?.run ?? []) manager.add(one);
  return manager;
}

function scheduler(options: ComponentOptions): Manager {
  // It has no service account: it calls as itself.
  const { transportForAccount: _, ...own } = surroundings(options, "kube-scheduler");
  return createManager({ ...own, runnables: [createScheduler()] });
}

/** All simulated nodes, which follow pods together and call each in its own name. */
function kubelets(options: ComponentOptions): Manager {
  const { nodes, clock, transportAs, limited, network, aroundRuntime: around } = options;
  const manager = createManager(surroundings(options, "kubelet"));
  const clientFor = (name: string): Client => {
    const peer = { commonName: `system:node:${name}`, organizations: ["system:nodes"] };
    const transport = limited(transportAs(peer, "kubelet"));
    return createClient(transport, { clock, fieldManager: "kubelet", omitEmpty: true });
  };
  const simulated = createSimulatedNodes({
    nodes,
    clientFor,
    around,
    kubeletVersion: kubernetesVersion,
  });
  network.use(simulated);
  manager.add(simulated);
  return manager;
}

/** What a component's manager has at hand: it follows kinds as the component, and calls as many. */
function surroundings(
  { transportAs, limited, clock, ticks, random, log, metrics, host, isShared }: ComponentOptions,
  component: ComponentName,
): ManagerOptions {
  const transportFor = (peer: Peer): Transport => limited(transportAs(peer, component));
  const self = { commonName: `system:${component}`, organizations: groups[component] };
  const lease = { namespace: "kube-system", name: leases[component] };
  return {
    ...(isShared && {
      leaderElection: { lease, releaseOnStop: true, transport: transportAs(self, component) },
    }),
    clock,
    ticks,
    random,
    log,
    metrics,
    host,
    clientOptions: { fieldManager: component, omitEmpty: true },
    transport: transportFor(self),
    transportForAccount: (account) => transportFor(serviceAccount(account)),
  };
}

/** No single node may follow the pods of all. */
const groups: Readonly<Record<ComponentName, readonly string[]>> = {
  "kube-controller-manager": [],
  "kube-scheduler": [],
  kubelet: ["system:masters"],
};

/** What candidates compete for; upstream's where there is one. */
const leases: Readonly<Record<ComponentName, string>> = {
  "kube-controller-manager": "kube-controller-manager",
  "kube-scheduler": "kube-scheduler",
  kubelet: "wherry-simulated-nodes",
};

/** So many writes of a component are under way at a time: far fewer than the API server takes on. */
const mostWrites = 50;

const serviceAccount = (name: string): Peer => ({
  commonName: `system:serviceaccount:kube-system:${name}`,
  organizations: ["system:serviceaccounts", "system:serviceaccounts:kube-system"],
});
