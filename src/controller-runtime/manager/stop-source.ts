/** Aborts many signals: each user has its own, so that no signal has many listeners. */
export class StopSource {
  readonly #own = new AbortController();
  readonly #others = new Set<AbortController>();

  /** The first signal, for its creator. */
  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** Another signal that aborts with it. */
  another(): AbortSignal {
    const controller = new AbortController();
    if (this.signal.aborted) controller.abort(this.signal.reason);
    else this.#others.add(controller);
    return controller.signal;
  }

  abort(reason?: unknown): void {
    if (this.signal.aborted) return;
    this.#own.abort(reason);
    for (const controller of this.#others) controller.abort(this.signal.reason);
    this.#others.clear();
  }
}
