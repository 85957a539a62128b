import type { Clock, Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import type { ChangingValue } from "../../controller-runtime/reconcile/changing-value.ts";
import { type NodePki, nodePkiDueAt } from "../../platform/pki/pki.ts";

export interface RenewNodePkiOptions {
  /** The certificates that the node has. */
  readonly pki: NodePki;
  /** Writes the credentials of the node, with certificates that are valid for a while. */
  readonly write: () => Promise<NodePki>;
  /** Calls back when the certificates of the cluster have changed. */
  readonly changes: Pick<ChangingValue<unknown>, "onChange">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer timers overflow in Node. */
const longestMs = 20 * 86_400_000;
const retryMs = 60_000;

/**
 * Writes the credentials of a node again before its certificates expire, and when the cluster has other authorities or
 * uses another one. A write that fails is tried again.
 */
export function renewNodePki(options: RenewNodePkiOptions): { close(): void } {
  const { write, changes, clock, log } = options;
  let { pki } = options;
  let timer: Timer | undefined;
  let isClosed = false;
  const wait = (ms: number): void => {
    timer?.cancel();
    if (isClosed) return;
    timer = clock.setTimer(Math.min(ms, longestMs), () => void renew());
  };
  const waitUntilDue = (): void => wait(Math.max(nodePkiDueAt(pki) - clock.now(), 0) + 1);
  const renew = coalesceCalls(async () => {
    if (isClosed) return;
    try {
      pki = await write();
      // A certificate that is due right after it was issued is not issued all the time.
      if (nodePkiDueAt(pki) <= clock.now()) wait(retryMs);
      else waitUntilDue();
    } catch (error) {
      log.error("writing the credentials of a node failed", error);
      wait(retryMs);
    }
  });
  const unfollow = changes.onChange(() => void renew());
  waitUntilDue();
  return {
    close() {
      isClosed = true;
      timer?.cancel();
      unfollow();
    },
  };
}
