import type { CelValue } from "../values/cel-value.ts";

/** Gives the value of a variable of the environment; nothing if it has none. */
export type Variables = (name: string) => CelValue | undefined;

/** A part of an expression, ready to run. It adds what it costs to the frame. */
export type Run = (frame: Frame) => CelValue;

/** An evaluation that was given up because it costs too much. */
export class CostExceeded extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded");
  }
}

/** One evaluation of an expression: its variables, and what it has cost so far. */
export class Frame {
  readonly variables: Variables;
  /** What folds remember; undefined where an accumulator was not asked for yet. */
  readonly slots: (CelValue | undefined)[] = [];
  cost = 0;
  readonly #limit: number;

  constructor(variables: Variables, limit: number) {
    this.variables = variables;
    this.#limit = limit;
  }

  charge(cost: number): void {
    this.cost += cost;
    // Upstream counts without a sign.
    if (this.cost < 0) this.cost += 2 ** 64;
    if (this.cost > this.#limit) throw new CostExceeded();
  }
}
