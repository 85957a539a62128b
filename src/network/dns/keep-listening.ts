import { type Clock, sleep } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";

/** Something to listen at. */
export interface ListeningPlace {
  readonly name: string;
  readonly listen: () => Promise<{ close(): Promise<void> }>;
}

export interface KeepListeningOptions {
  readonly places: readonly ListeningPlace[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Listens at places, and tries again where another process is in the way. */
export function keepListening({ places, clock, log }: KeepListeningOptions): {
  /** Resolves when each place was tried once. */
  readonly tried: Promise<void>;
  close(): Promise<void>;
} {
  const stop = new AbortController();
  const { signal } = stop;
  const open: { close(): Promise<void> }[] = [];
  const works = places.map((place) => {
    let hasTried = (): void => {};
    const tried = new Promise<void>((resolve) => {
      hasTried = resolve;
    });
    return { tried, ended: listen(place, hasTried) };
  });

  async function listen({ name, listen: openPlace }: ListeningPlace, hasTried: () => void) {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        open.push(await openPlace());
        if (!isFirst) log.info("listening", { at: name });
        return;
      } catch (error) {
        if (isFirst) log.warn("cannot listen yet", { at: name, reason: errorMessage(error) });
      } finally {
        hasTried();
      }
      await sleep(clock, retryMs, signal).catch(() => {});
    }
  }

  return {
    tried: Promise.all(works.map(({ tried }) => tried)).then(() => {}),
    async close() {
      stop.abort();
      await Promise.all(works.map(({ ended }) => ended));
      await Promise.all(open.map((one) => one.close()));
    },
  };
}

const retryMs = 2000;
