import { abortReason } from "../../base/abort-reason.ts";

/** Whether a pod is to end. Who waits for it is given a signal, made when one is first asked for: few are. */
export class Leaving {
  #hasBegun = false;
  #controller: AbortController | undefined;

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Aborts when it begins. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#hasBegun) this.#controller.abort(abortReason);
    return this.#controller.signal;
  }

  begin(): void {
    this.#hasBegun = true;
    this.#controller?.abort(abortReason);
  }
}
