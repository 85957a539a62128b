import { onAbort } from "../../base/on-abort.ts";
import type { Transport } from "../../client/transport.ts";
import { linkedSignal } from "../manager/linked-signal.ts";

/** Who says whether writes may be started. */
export interface Fence {
  mayWrite(): boolean;
  /** Aborts when they no longer may: what is under way is given up then. */
  readonly signal: AbortSignal;
  /** What it is about, for errors. */
  readonly name: string;
}

/** Thrown for a write that was not sent, or given up, because somebody else may be the leader by now. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";

  /** Whether the write was under way already: it may or may not have happened. */
  readonly isSent: boolean;

  constructor(lease: string, isSent = false) {
    super(`not the leader: the lease ${lease} is not held, or was not renewed in time`);
    this.isSent = isSent;
  }
}

/**
 * A transport that starts writes only while its fence is open, which it asks right before it hands a
 * call on. Reads always pass.
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
