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
import { serveSpdy } from "../../../platform/spdy/serve-spdy.ts";
import { createScheduler } from "../../../scheduler/scheduler.ts";
import { kubernetesVersion } from "../../version.ts";
import type { NodeNetwork } from "./node-network.ts";

export interface ControlPlaneOptions
  extends Pick<ManagerOptions, "clock" | "ticks" | "random" | "log" | "metrics" | "host"> {
  /** Creates the transport by which a component calls the API server as a user. */
  readonly transportAs: (peer: Peer, component: ComponentName) => Transport;
  /** What controllers need beside flags. */
  readonly inputs?: Partial<ControllerInputs> | undefined;
  /** The settings of controllers, by the names of flags; their defaults if not given. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** The controllers to run, as in `--controllers`; by default those that are on by default. */
  readonly controllers?: readonly string[] | undefined;
  /** The simulated nodes, or their number. */
  readonly nodes: SimulatedNodesOptions["nodes"];
  /** Wraps the runtimes that kubelets use; absent for none. */
  readonly aroundRuntime?: SimulatedNodesOptions["around"];
  /** The network by which the API server reaches the nodes. */
  readonly network: NodeNetwork;
  /** Whether other processes may run the same components, which then elect a leader. */
  readonly isShared?: boolean | undefined;
}

/** A component of a cluster that runs, and may end, independently. */
export interface Component {
  readonly name: ComponentName;
  /** Creates a component to run once; call it again for a restart. */
  create(): Manager;
}

export type ComponentName = "kube-controller-manager" | "kube-scheduler" | "kubelet";

/**
 * The components that turn an API server into a cluster, in the same process. Each controller calls as its
 * own service account. Without other processes on the same store, there is no leader election.
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

/** The same for one component, whose concurrent writes are limited. */
interface ComponentOptions extends ControlPlaneOptions {
  readonly limited: WriteLimit;
}

function controllerManager(options: ComponentOptions): Manager {
  const { inputs, settings: values, controllers: words = ["*"] } = options;
  const manager = createManager({
    ...surroundings(options, "kube-controller-manager"),
    eventApi: "core",
  });
  for (const module of chooseControllers(controllerModules, words))
    for (const one of createParts(module, { values, inputs })?.run ?? []) manager.add(one);
  return manager;
}

function scheduler(options: ComponentOptions): Manager {
  // It has no service account and calls as its own user.
  const { transportForAccount: _, ...own } = surroundings(options, "kube-scheduler");
  const { features } = options.inputs ?? {};
  return createManager({ ...own, runnables: [createScheduler({ features })] });
}

/** All simulated nodes, which share an informer of pods and call as their own users. */
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
    serveStreams: serveSpdy,
  });
  network.use(simulated);
  manager.add(simulated);
  return manager;
}

/** The manager of a component: informers use the component's user, calls may use other users. */
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
    toleratesUnservedKinds: true,
    clientOptions: { fieldManager: component, omitEmpty: true },
    transport: transportFor(self),
    transportForAccount: (account) => transportFor(serviceAccount(account)),
  };
}

/** The user of the shared informer: no single node may watch the pods of all nodes. */
const groups: Readonly<Record<ComponentName, readonly string[]>> = {
  "kube-controller-manager": [],
  "kube-scheduler": [],
  kubelet: ["system:masters"],
};

/** The names of the leases; upstream's where it has one. */
const leases: Readonly<Record<ComponentName, string>> = {
  "kube-controller-manager": "kube-controller-manager",
  "kube-scheduler": "kube-scheduler",
  kubelet: "wherry-simulated-nodes",
};

/** The concurrent writes of a component: far below the limit of the API server. */
const mostWrites = 50;

const serviceAccount = (name: string): Peer => ({
  commonName: `system:serviceaccount:kube-system:${name}`,
  organizations: ["system:serviceaccounts", "system:serviceaccounts:kube-system"],
});
