import type { APIResourceList } from "../api/meta/v1/discovery.ts";
import { delays } from "../base/backoff.ts";
import { sleep } from "../base/clock.ts";
import { decodeResponse } from "../client/decode-response.ts";
import type { ResourceKind } from "../client/resource-kind.ts";
import type { Runnable, RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import { logFailure } from "../controller-runtime/reconcile/log-failure.ts";

export interface WhereServedOptions<K extends ResourceKind> {
  readonly name: string;
  /** The versions of a kind with which the controller can work, the best first. */
  readonly kinds: readonly K[];
  create(kind: K): Runnable;
}

const retry = { duration: 1000, factor: 2, steps: 6, jitter: 0.1 };

/**
 * A controller of a kind that is served only where it is enabled: alpha and beta versions are off by default.
 * What is served is found out once, when it starts; it ends if no version is.
 */
export const whereServed = <K extends ResourceKind>(options: WhereServedOptions<K>): Runnable => ({
  name: options.name,
  async run(signal, ctx) {
    for (const kind of options.kinds)
      if (await isServed(kind, signal, ctx)) {
        await options.create(kind).run(signal, ctx);
        return;
      }
    ctx.log.debug("the kind of this controller is not served", { controller: options.name });
  },
});

/** Asks until the server responds; false when `signal` aborts. */
async function isServed(
  { group, version, plural }: ResourceKind,
  signal: AbortSignal,
  { client, clock, log, random }: RunnableContext,
): Promise<boolean> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const nextDelay = delays(retry, random);
  while (!signal.aborted)
    try {
      const response = await client.raw({ method: "GET", path, signal });
      if (response.status === 404) return false;
      const { resources } = (await decodeResponse(response)) as APIResourceList;
      return (resources ?? []).some(({ name }) => name === plural);
    } catch (error) {
      if (signal.aborted) break;
      logFailure(log, "finding out what is served failed", error, { path });
      await sleep(clock, nextDelay(), signal).catch(() => undefined);
    }
  return false;
}
