import { onAbort } from "../../base/on-abort.ts";
import type { Transport } from "../../client/transport.ts";
import { linkedSignal } from "../manager/linked-signal.ts";

/** Decides whether writes may start. */
export interface Fence {
  mayWrite(): boolean;
  /** Aborts when writes may no longer start: running ones are cancelled. */
  readonly signal: AbortSignal;
  /** The name of the lease in errors. */
  readonly name: string;
}

/** Thrown for a write that was not sent, or was cancelled, because another candidate may lead. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";

  /** Whether the write was sent already: its outcome is unknown. */
  readonly isSent: boolean;

  constructor(lease: string, isSent = false) {
    super(`not the leader: the lease ${lease} is not held, or was not renewed in time`);
    this.isSent = isSent;
  }
}

/**
 * A transport that starts writes only while its fence is open, checked right before each call. Reads
 * always pass.
 */
export function fenced(transport: Transport, fence: Fence): Transport {
  return async (request) => {
    if (readMethods.has(request.method)) return transport(request);
    if (!fence.mayWrite()) throw new NotLeaderError(fence.name);
    const link = linkedSignal(request.signal);
    const unfollow = onAbort(fence.signal, () => link.abort(new NotLeaderError(fence.name, true)));
    const leave = (): void => {
      link.unlink();
      unfollow();
    };
    try {
      const response = await transport({ ...request, signal: link.signal });
      return { ...response, value: () => response.value().finally(leave) };
    } catch (error) {
      leave();
      throw error;
    }
  };
}

const readMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
