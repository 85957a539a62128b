import { abortReason } from "../../base/abort-reason.ts";

/** Whether a pod must end. The signal is created on first use, because few pods need it. */
export class Leaving {
  #hasBegun = false;
  #controller: AbortController | undefined;

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Aborts when the pod must end. */
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
