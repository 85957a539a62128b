import { abortReason } from "../../base/abort-reason.ts";
import { onAbort } from "../../base/on-abort.ts";

/** A running call: it ends with the caller's signal, or when the caller stops reading the response. */
export class InProcessCall {
  readonly #caller: AbortSignal | undefined;
  #end: { readonly reason: unknown } | undefined;
  /** Created on first use: few handlers need the signal, and signals are slow in Node 20. */
  #controller: AbortController | undefined;
  #giveUp: ((reason: unknown) => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Removes the listener from the caller's signal. */
  readonly release: () => void;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    this.release = onAbort(caller, () => {
      this.#finish(caller?.reason);
      this.#giveUp?.(caller?.reason);
    });
  }

  /** Aborts when the call ends. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#end) this.#controller.abort(this.#end.reason);
    return this.#controller.signal;
  }

  throwIfEnded(): void {
    if (this.#end) throw this.#end.reason;
  }

  /** Calls `listener`, which replaces an earlier one, when the call ends. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener;
    if (this.#end) listener();
  }

  end(): void {
    this.release();
    this.#finish(abortReason);
  }

  /** Resolves with the response; rejects if the caller ends the call first. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    const caller = this.#caller;
    if (!caller) return work;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      // The call may have ended while the work started.
      if (caller.aborted) reject(caller.reason);
      work.then(resolve, reject);
    });
  }

  #finish(reason: unknown): void {
    if (this.#end) return;
    this.#end = { reason };
    this.#controller?.abort(reason);
    this.#onEnd?.();
  }
}
