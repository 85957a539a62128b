import { type Clock, sleep } from "../../base/clock.ts";

/** Somebody who has something to tell, one after the other. */
export interface Teller {
  /** Tells one thing; false where there is none. Never throws. */
  tell(): boolean;
  /** Everything was told, or time is up for now. */
  paused(): void;
}

/** Has tellers tell what they have, for a few milliseconds at a time. */
export interface Delivery {
  /** A teller has something to tell; it begins later, never within this call. */
  wake(teller: Teller): void;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Lets others have their turn; a timer of the clock if not given. */
  readonly breathe?: (() => Promise<void>) | undefined;
}

/** A delivery; when the signal aborts, nothing more is told. */
export function createDelivery({ clock, signal, breathe }: DeliveryOptions): Delivery {
  const waiting = new Set<Teller>();
  let isRunning = false;

  /** One turn. Time that stands still, as in tests, or is set back must not make it endless or void. */
  const tellForAWhile = (): void => {
    const start = clock.now();
    for (const teller of waiting) {
      waiting.delete(teller);
      while (!signal.aborted && teller.tell()) {
        const elapsed = clock.now() - start;
        if (elapsed >= 0 && elapsed < turnMs) continue;
        waiting.add(teller);
        teller.paused();
        return;
      }
      teller.paused();
    }
  };

  const run = async (): Promise<void> => {
    await undefined;
    while (waiting.size > 0 && !signal.aborted) {
      tellForAWhile();
      // An end while others have their turn leaves nothing to do.
      if (waiting.size > 0) await (breathe?.() ?? sleep(clock, 0, signal)).catch(() => undefined);
    }
    isRunning = false;
  };

  return {
    wake(teller) {
      waiting.add(teller);
      if (isRunning) return;
      isRunning = true;
      void run();
    },
  };
}

const turnMs = 5;
