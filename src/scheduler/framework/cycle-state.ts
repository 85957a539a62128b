import type { With } from "./plugin-lists.ts";

/** Names a value that a plugin keeps for the time in which one pod is scheduled. */
export interface StateKey<T> {
  readonly name: string;
  /** Where the value is: no two keys share a slot. */
  readonly slot: number;
  /** Never there: the type of the value. */
  readonly $type?: T;
}

/** A value that is changed while nodes are tried has a copy made for each of them. */
export interface Cloneable {
  clone(): unknown;
}

/** A key of its own; make it once, where the plugin is declared. */
export function stateKey<T>(name: string): StateKey<T> {
  return { name, slot: slots++ };
}

let slots = 0;

/** What plugins tell themselves from one extension point to the next. */
export class CycleState {
  /** Values by their slot: reading one for each of thousands of nodes costs next to nothing. */
  readonly #values: unknown[] = [];
  /** Plugins that have nothing to do for this pod, at the points that look at each node. */
  readonly skipFilter = new Set<string>();
  readonly skipScore = new Set<string>();
  /** The filters that are left, in order; all of them before `preFilter` has run. */
  filters: readonly With<"filter">[] | undefined = undefined;
  /** What `preBindPreFlight` said: who need not run, and who may run beside others. */
  readonly skipPreBind = new Set<string>();
  readonly parallelPreBind = new Set<string>();
  /** Pods that plugins want tried at once when this one is through, by `NAMESPACE/NAME`. */
  readonly podsToActivate = new Map<
    string,
    { readonly name: string; readonly namespace: string }
  >();
  /** Whether how long each plugin takes is counted in this cycle: one in ten is. */
  readonly isMeasured: boolean;

  constructor(isMeasured = false) {
    this.isMeasured = isMeasured;
  }

  read<T>(key: StateKey<T>): T | undefined {
    return this.#values[key.slot] as T | undefined;
  }

  write<T>(key: StateKey<T>, value: T): void {
    this.#values[key.slot] = value;
  }

  /** A state in which a plugin may try what would be. */
  clone(): CycleState {
    const copy = new CycleState(this.isMeasured);
    this.#values.forEach((value, slot) => {
      copy.#values[slot] = isCloneable(value) ? value.clone() : value;
    });
    for (const name of this.skipFilter) copy.skipFilter.add(name);
    for (const name of this.skipScore) copy.skipScore.add(name);
    copy.filters = this.filters;
    return copy;
  }
}

const isCloneable = (value: unknown): value is Cloneable =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Cloneable>).clone === "function";
