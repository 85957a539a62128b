import type { Transport } from "../client/transport.ts";

/** Who says whether writes may be started. */
export interface Fence {
  mayWrite(): boolean;
  /** Aborts when they no longer may: what is under way is given up then. */
  readonly signal: AbortSignal;
  /** What it is about, for errors. */
  readonly name: string;
}

/** Thrown for a write that was not sent, because somebody else may be the leader by now. */
export class NotLeaderError extends Error {
  override readonly name = "NotLeaderError";

  constructor(lease: string) {
    super(`not the leader: the lease ${lease} is not held, or was not renewed in time`);
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
    const given = request.signal;
    const ending = new AbortController();
    const closed = (): void => ending.abort(new NotLeaderError(fence.name));
    const follow = (): void => ending.abort(given?.reason);
    if (given?.aborted) follow();
    given?.addEventListener("abort", follow, { once: true });
    fence.signal.addEventListener("abort", closed, { once: true });
    const leave = (): void => {
      given?.removeEventListener("abort", follow);
      fence.signal.removeEventListener("abort", closed);
    };
    try {
      const response = await transport({ ...request, signal: ending.signal });
      return { ...response, value: () => response.value().finally(leave) };
    } catch (error) {
      leave();
      throw error;
    }
  };
}

const readMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
