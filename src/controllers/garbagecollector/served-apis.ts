import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { incomplete, type ServerApis } from "../../client/discovery/server-apis.ts";
import type { Informers } from "../../client/informer/informers.ts";
import { metadataInformer } from "../metadata-informer.ts";

export interface ServedApisOptions {
  readonly discovery: Discovery;
  readonly informers: Informers;
  readonly clock: Clock;
  /** Called with the served resources; returns whether it must be called again after a while. */
  readonly onApis: (apis: ServerApis) => { readonly isLeaving: boolean };
  readonly onFault: (error: unknown) => void;
}

/** How often discovery is read while changes cannot be watched. */
const pollMs = 30_000;
/** When discovery is read after a change: servers update it with a delay. */
const afterChangeMs = [1_000, 5_000, pollMs];

/**
 * Reads discovery at once, and after every change until the signal aborts. The served resources change
 * with CustomResourceDefinitions and APIServices, so these are watched. Discovery is polled every 30 s only
 * while that is not enough: after errors, and while aggregated API servers exist.
 */
export async function followServedApis(
  options: ServedApisOptions,
  signal: AbortSignal,
): Promise<void> {
  const { discovery, informers, clock, onApis, onFault } = options;
  const definitions = metadataInformer(informers, CustomResourceDefinition);
  const services = informers.of(APIService);
  const wake = wakeable(clock);
  let changes = 0;
  const changed = (): void => {
    changes++;
    wake.now();
  };
  const handler = {
    added: (_: unknown, isInitial: boolean) => (isInitial ? undefined : changed()),
    updated: changed,
    deleted: changed,
  };
  definitions.addHandler(handler);
  services.addHandler(handler);
  const unfollow = onAbort(signal, wake.now);

  const ask = async (): Promise<boolean> => {
    try {
      const apis = await discovery.apis({ newerThan: discovery.known, signal });
      const fault = incomplete(apis);
      if (fault) onFault(fault);
      const { isLeaving } = onApis(apis);
      return !fault && !isLeaving;
    } catch (error) {
      if (!signal.aborted) onFault(error);
      return false;
    }
  };
  const isEveryChangeWatched = (): boolean =>
    definitions.hasSynced &&
    services.hasSynced &&
    services.list().every(({ spec }) => spec.service === undefined);

  try {
    for (let seen = -1, asked = 0; !signal.aborted; ) {
      if (seen !== changes) asked = 0;
      seen = changes;
      const isSettled = await ask();
      const delay = afterChangeMs[asked++];
      const isQuiet = delay === undefined && isSettled && isEveryChangeWatched();
      if (seen === changes && !signal.aborted)
        await wake.after(isQuiet ? undefined : (delay ?? pollMs));
    }
  } finally {
    unfollow();
    definitions.close();
    services.close();
  }
}

/** A sleep that can be interrupted. */
function wakeable(clock: Clock) {
  let resolve: (() => void) | undefined;
  let timer: Timer | undefined;
  const now = (): void => {
    timer?.cancel();
    timer = undefined;
    resolve?.();
    resolve = undefined;
  };
  const after = (ms: number | undefined): Promise<void> =>
    new Promise((done) => {
      resolve = done;
      if (ms !== undefined) timer = clock.setTimer(ms, now);
    });
  return { now, after };
}
