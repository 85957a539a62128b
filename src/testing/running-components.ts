import type { Peer } from "../apiserver/request/request.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Transport } from "../client/transport.ts";
import {
  type ControlPlaneOptions,
  controlPlane,
} from "../cluster/commands/server/control-plane.ts";
import { type ComponentLife, componentLife } from "./faults/component-life.ts";
import type { Faults } from "./faults/fault.ts";
import { faultRules } from "./faults/fault-rules.ts";
import { faultyRuntime } from "./faults/faulty-runtime.ts";
import { type FaultyTransportOptions, faultyTransport } from "./faults/faulty-transport.ts";

export interface RunningComponentsOptions
  extends Omit<ControlPlaneOptions, "transportAs" | "ticks" | "host"> {
  readonly clock: Clock;
  /** Whether nothing runs. */
  readonly isEmpty: boolean;
  /** Decides about faults. */
  readonly faultRandom: Random;
  /** Calls the API server in the name of somebody. */
  readonly transportAs: (peer: Peer) => Transport;
}

/** What runs beside the API server of a cluster. */
export interface RunningComponents {
  readonly faults: Faults;
  /** Throws what a component has ended with. */
  check(): void;
  /** Ends all where they stand, as if their processes were gone. */
  halt(): void;
}

/** Runs the components of a cluster; faults may befall them. */
export function runningComponents(options: RunningComponentsOptions): RunningComponents {
  const { transportAs, clock, faultRandom } = options;
  const rules = faultRules(faultRandom);
  const components = new Set<ComponentLife>();
  const lives = new Map<string, ComponentLife>();
  let isHalted = false;
  let failure: { readonly error: unknown } | undefined;

  const meeting = (component: string, user: string): FaultyTransportOptions => {
    // Who is killed is whoever makes the call, not one that came after.
    const life = lives.get(component);
    const isOver = (): boolean => lives.get(component) !== life;
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
  const begin = (name: string): ComponentLife => {
    const life = componentLife(clock);
    lives.set(name, life);
    return life;
  };
  const start = (name: string): void => {
    const life = begin(name);
    components.add(life);
    const made = controlPlane({
      ...options,
      clock: life.clock,
      transportAs: (peer) => life.transport(faulty(name, peer)),
      aroundRuntime: (service, node) => faultyRuntime(service, meeting(name, nodeUser(node))),
    });
    const component = made.find((one) => one.name === name);
    component
      ?.create()
      // Nobody asks it to stop: it is ended where it stands.
      .run({ signal: new AbortController().signal })
      .catch((error: unknown) => {
        failure ??= { error };
      });
  };
  const crash = (name: string): void => {
    const life = lives.get(name);
    if (!life) throw new TypeError(`there is no ${name}: ${[...lives.keys()].join(", ")} run`);
    life.kill();
    components.delete(life);
    if (!isHalted) start(name);
  };
  if (!options.isEmpty) for (const { name } of controlPlane(options)) start(name);

  return {
    faults: {
      add: rules.add,
      clear: rules.clear,
      partition(who) {
        for (const [name, life] of lives) if (name === who || !lives.has(who)) life.cut();
        return rules.add({
          calls: ({ component, user }) => component === who || user === who,
          fault: { type: "fail" },
        });
      },
      pause(component) {
        const life = lives.get(component);
        life?.pause();
        return () => life?.resume();
      },
      crash,
      transport(name) {
        const life = begin(name);
        return life.transport(faulty(name, { ...administrator, commonName: name }));
      },
    },
    check() {
      if (failure) throw failure.error;
    },
    halt() {
      isHalted = true;
      for (const life of components) life.kill();
      components.clear();
    },
  };
}

const nodeUser = (node: string): string => `system:node:${node}`;
const administrator = { organizations: ["system:masters"] };
const accountPrefix = "system:serviceaccount:kube-system:";
