/** A sequential model: the state after an operation, if the operation is possible. */
export interface Model<S, O> {
  readonly initial: S;
  /** The state after the operation with its recorded response; undefined if that is impossible. */
  step(state: S, operation: O): S | undefined;
  /** Equal texts for indistinguishable states. */
  key(state: S): string;
}

/** An operation as its client saw it: it took effect once, at some time between call and return. */
export interface Timed<O> {
  readonly operation: O;
  readonly call: number;
  /** Infinity without a response: it took effect at any time after the call, or never. */
  readonly return: number;
}

export type Linearizability<O> =
  | { readonly ok: true; readonly order: readonly Timed<O>[] }
  | {
      readonly ok: false;
      /** The longest order that was found, and the operations of which none could come next. */
      readonly order: readonly Timed<O>[];
      readonly stuck: readonly Timed<O>[];
    };

/**
 * Searches for an order of the operations, each between its call and return, that the model allows: the
 * algorithm of Wing and Gong with the memoization of Lowe.
 */
export function checkLinearizable<S, O>(
  model: Model<S, O>,
  operations: readonly Timed<O>[],
): Linearizability<O> {
  const search = new Search(model, operations);
  return search.run();
}

interface Frame<S, O> {
  readonly state: S;
  /** The index of the first operation with a response that is not done. */
  readonly frontier: number;
  readonly candidates: readonly Timed<O>[];
  /** The number of candidates tried. */
  tried: number;
}

class Search<S, O> {
  readonly #model: Model<S, O>;
  /** In the order of their calls, like those without a response. */
  readonly #answered: readonly Timed<O>[];
  readonly #open: readonly Timed<O>[];
  readonly #done = new Set<Timed<O>>();
  /** The visited states. */
  readonly #seen = new Set<string>();
  readonly #order: Timed<O>[] = [];
  #longest: readonly Timed<O>[] = [];
  #stuck: readonly Timed<O>[] = [];

  constructor(model: Model<S, O>, operations: readonly Timed<O>[]) {
    this.#model = model;
    const sorted = [...operations].sort((a, b) => a.call - b.call);
    this.#answered = sorted.filter((each) => each.return !== Number.POSITIVE_INFINITY);
    this.#open = sorted.filter((each) => each.return === Number.POSITIVE_INFINITY);
  }

  run(): Linearizability<O> {
    const frames: Frame<S, O>[] = [this.#frame(this.#model.initial, 0)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.frontier === this.#answered.length) return { ok: true, order: this.#order };
      const next = frame.candidates[frame.tried++];
      if (next === undefined) {
        this.#note(frame);
        frames.pop();
        const last = this.#order.pop();
        if (last !== undefined) this.#done.delete(last);
        continue;
      }
      const state = this.#model.step(frame.state, next.operation);
      if (state === undefined) continue;
      this.#done.add(next);
      const frontier = this.#frontierFrom(frame.frontier);
      if (this.#isNew(state, frontier)) {
        this.#order.push(next);
        frames.push(this.#frame(state, frontier));
      } else {
        this.#done.delete(next);
      }
    }
    return { ok: false, order: this.#longest, stuck: this.#stuck };
  }

  /**
   * The candidates for the next operation: those called before the first open one returned. Those
   * without a response come last, because most of them are not needed.
   */
  #frame(state: S, frontier: number): Frame<S, O> {
    const candidates: Timed<O>[] = [];
    let before = Number.POSITIVE_INFINITY;
    for (let index = frontier; index < this.#answered.length; index++) {
      const operation = this.#answered[index];
      if (operation === undefined || operation.call > before) break;
      if (this.#isDone(operation)) continue;
      before = Math.min(before, operation.return);
      candidates.push(operation);
    }
    for (const operation of this.#open) {
      if (operation.call > before) break;
      if (!this.#done.has(operation)) candidates.push(operation);
    }
    return { state, frontier, candidates, tried: 0 };
  }

  #frontierFrom(frontier: number): number {
    let next = frontier;
    while (this.#isDone(this.#answered[next])) next++;
    return next;
  }

  /**
   * All operations before the frontier are done, so that the others distinguish a state: among those
   * with a response, only those called before the one at the frontier returned.
   */
  #isNew(state: S, frontier: number): boolean {
    const others: number[] = [];
    const before = this.#answered[frontier]?.return ?? 0;
    for (let index = frontier + 1; index < this.#answered.length; index++) {
      const operation = this.#answered[index];
      if (operation === undefined || operation.call > before) break;
      if (this.#done.has(operation)) others.push(index);
    }
    const open = [...this.#open.keys()].filter((index) => this.#isDone(this.#open[index]));
    const text = `${frontier} ${others} ${open} ${this.#model.key(state)}`;
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    return true;
  }

  #isDone(operation: Timed<O> | undefined): boolean {
    return operation !== undefined && this.#done.has(operation);
  }

  #note({ candidates }: Frame<S, O>): void {
    if (this.#longest.length > 0 && this.#order.length <= this.#longest.length) return;
    this.#longest = [...this.#order];
    this.#stuck = candidates;
  }
}
