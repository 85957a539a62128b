import type { With } from "./plugin-lists.ts";

/** A typed key of the cycle state, for data that a plugin keeps while one pod is scheduled. */
export interface StateKey<T> {
  readonly name: string;
  /** The index of the value; unique for each key. */
  readonly slot: number;
  /** Exists only in the type: the type of the value. */
  readonly $type?: T;
}

/** State that is modified while nodes are tried; it is cloned with the cycle state. */
export interface Cloneable {
  clone(): unknown;
}

/** Creates a key; do so once, at the top level of the plugin's module. */
export function stateKey<T>(name: string): StateKey<T> {
  return { name, slot: slots++ };
}

let slots = 0;

/** The data that plugins pass from one extension point to the next while a pod is scheduled. */
export class CycleState {
  /** Values by slot: reading one for each of thousands of nodes must be fast. */
  readonly #values: unknown[] = [];
  /** Plugins that returned `Skip` in `preFilter` or `preScore`: they are not run for nodes. */
  readonly skipFilter = new Set<string>();
  readonly skipScore = new Set<string>();
  /** The remaining filter plugins, in order; undefined before `preFilter` has run. */
  filters: readonly With<"filter">[] | undefined = undefined;
  /** Results of `preBindPreFlight`: plugins to skip, and plugins that may run in parallel. */
  readonly skipPreBind = new Set<string>();
  readonly parallelPreBind = new Set<string>();
  /** Pods to move to the active queue after this one, by `NAMESPACE/NAME`. */
  readonly podsToActivate = new Map<
    string,
    { readonly name: string; readonly namespace: string }
  >();
  /** Whether the pod is only tried with others of its group: it is taken back before any of them is bound. */
  isTrial: boolean = false;
  /** Whether this cycle records the duration of each plugin: one in ten does. */
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

  /** Returns a copy in which a plugin can simulate changes. */
  clone(): CycleState {
    const copy = new CycleState(this.isMeasured);
    this.#values.forEach((value, slot) => {
      copy.#values[slot] = isCloneable(value) ? value.clone() : value;
    });
    for (const name of this.skipFilter) copy.skipFilter.add(name);
    for (const name of this.skipScore) copy.skipScore.add(name);
    copy.filters = this.filters;
    copy.isTrial = this.isTrial;
    return copy;
  }
}

const isCloneable = (value: unknown): value is Cloneable =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as Partial<Cloneable>).clone === "function";
