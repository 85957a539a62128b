import type { Peer } from "../apiserver/request/request.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Transport } from "../client/transport.ts";
import {
  type ControlPlaneOptions,
  controlPlane,
} from "../cluster/commands/server/control-plane.ts";
import { type ComponentProcess, componentProcess } from "./faults/component-process.ts";
import type { Faults } from "./faults/fault.ts";
import { faultRules } from "./faults/fault-rules.ts";
import { faultyRuntime } from "./faults/faulty-runtime.ts";
import { type FaultyTransportOptions, faultyTransport } from "./faults/faulty-transport.ts";

export interface RunningComponentsOptions
  extends Omit<ControlPlaneOptions, "transportAs" | "ticks" | "host"> {
  readonly clock: Clock;
  /** Whether there are no components. */
  readonly isEmpty: boolean;
  /** Decides about faults with a chance below 1. */
  readonly faultRandom: Random;
  /** Returns a transport that authenticates as a component. */
  readonly transportAs: (peer: Peer) => Transport;
}

/** The components that run beside a cluster's API server. */
export interface RunningComponents {
  readonly faults: Faults;
  /** Throws the error of a component that has failed. */
  check(): void;
  /** Stops all components at once, as if their processes were killed. */
  halt(): void;
}

/** Runs the components of a cluster, with faults. */
export function runningComponents(options: RunningComponentsOptions): RunningComponents {
  const { transportAs, clock, faultRandom } = options;
  const rules = faultRules(faultRandom);
  const components = new Set<ComponentProcess>();
  const processes = new Map<string, ComponentProcess>();
  let isHalted = false;
  let failure: { readonly error: unknown } | undefined;

  const meeting = (component: string, user: string): FaultyTransportOptions => {
    // Kill the process that sends the request, not one that has replaced it.
    const process = processes.get(component);
    const isOver = (): boolean => processes.get(component) !== process;
    return {
      isOver,
      who: { component, user },
      clock,
      faultOf: rules.faultOf,
      crash() {
        if (!isOver()) crash(component);
      },
    };
  };
  const faulty = (component: string, peer: Peer): Transport =>
    faultyTransport(
      transportAs(peer),
      meeting(component, peer.commonName.replace(accountPrefix, "")),
    );
  const begin = (name: string): ComponentProcess => {
    const process = componentProcess(clock);
    processes.set(name, process);
    return process;
  };
  const start = (name: string): void => {
    const process = begin(name);
    components.add(process);
    const made = controlPlane({
      ...options,
      clock: process.clock,
      transportAs: (peer) => process.transport(faulty(name, peer)),
      aroundRuntime: (service, node) => faultyRuntime(service, meeting(name, nodeUser(node))),
    });
    const component = made.find((one) => one.name === name);
    component
      ?.create()
      // It is never stopped gracefully: it is killed.
      .run({ signal: new AbortController().signal })
      .catch((error: unknown) => {
        failure ??= { error };
      });
  };
  const crash = (name: string): void => {
    const process = processes.get(name);
    if (!process)
      throw new TypeError(`there is no ${name}: ${[...processes.keys()].join(", ")} run`);
    process.kill();
    components.delete(process);
    if (!isHalted) start(name);
  };
  if (!options.isEmpty) for (const { name } of controlPlane(options)) start(name);

  return {
    faults: {
      add: rules.add,
      clear: rules.clear,
      partition(who) {
        for (const [name, process] of processes)
          if (name === who || !processes.has(who)) process.cut();
        return rules.add({
          calls: ({ component, user }) => component === who || user === who,
          fault: { type: "fail" },
        });
      },
      pause(component) {
        const process = processes.get(component);
        process?.pause();
        return () => process?.resume();
      },
      crash,
      transport(name) {
        const process = begin(name);
        return process.transport(faulty(name, { ...administrator, commonName: name }));
      },
    },
    check() {
      if (failure) throw failure.error;
    },
    halt() {
      isHalted = true;
      for (const process of components) process.kill();
      components.clear();
    },
  };
}

const nodeUser = (node: string): string => `system:node:${node}`;
const administrator = { organizations: ["system:masters"] };
const accountPrefix = "system:serviceaccount:kube-system:";
