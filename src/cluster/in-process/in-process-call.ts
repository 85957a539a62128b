import { abortReason } from "../../base/abort-reason.ts";
import { onAbort } from "../../base/on-abort.ts";

/** A call under way: it ends with the caller's signal, or when the caller stops reading the response. */
export class InProcessCall {
  readonly #caller: AbortSignal | undefined;
  #end: { readonly reason: unknown } | undefined;
  /** Made when somebody asks for its signal: few do, and in Node 20 signals are slow. */
  #controller: AbortController | undefined;
  #giveUp: ((reason: unknown) => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Does not listen to its caller any more. */
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

  /** Calls `listener`, and nobody else, when the call ends. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener;
    if (this.#end) listener();
  }

  end(): void {
    this.release();
    this.#finish(abortReason);
  }

  /** The answer, or the reason for which the caller ends the call first. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    const caller = this.#caller;
    if (!caller) return work;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      // It may have ended while the work was begun.
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
