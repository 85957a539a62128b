import { onAbort } from "../../../base/on-abort.ts";

export interface CutoffOptions {
  /** Not given: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Ends a request when its time is over, or nobody waits for it any more. A signal for each request would cost as
 * much as a tenth of a probe.
 */
export class HttpCutoff {
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #unfollow: () => void;
  #why: "late" | "canceled" | undefined;
  #close = (): void => {};

  constructor({ timeoutMs, signal }: CutoffOptions) {
    this.#unfollow = onAbort(signal, () => this.#cut("canceled"));
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.#cut("late"), timeoutMs);
  }

  /** Sets what closes the connection that is in use now. */
  guard(close: () => void): void {
    this.#close = close;
    if (this.#why) close();
  }

  /** Why a request failed, in the words of Go's client. */
  reason(message: string, phase: "awaiting headers" | "reading body"): string {
    if (!this.#why) return message;
    if (this.#why === "canceled") return "context canceled";
    return phase === "awaiting headers"
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
  }

  /** The request is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#unfollow();
  }

  #cut(why: "late" | "canceled"): void {
    this.#why ??= why;
    this.#close();
  }
}
