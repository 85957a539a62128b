import { type Clock, sleep } from "../../base/clock.ts";

/** A handler with pending calls. */
export interface PendingCalls {
  /** Makes the next call of the handler; returns false if none is pending. Never throws. */
  deliverNext(): boolean;
  /** Called when all pending calls are made, or when the time slice is over. */
  paused(): void;
}

/** Runs the pending calls of handlers in time slices of a few milliseconds. */
export interface Delivery {
  /** Schedules a handler that has pending calls; the first call comes later, never within `wake`. */
  wake(handler: PendingCalls): void;
}

export interface DeliveryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Yields to other work between time slices. Default: a timer of the clock. */
  readonly yieldTurn?: (() => Promise<void>) | undefined;
}

/** Creates a delivery; when the signal aborts, no more calls are made. */
export function createDelivery({ clock, signal, yieldTurn }: DeliveryOptions): Delivery {
  const waiting = new Set<PendingCalls>();
  let isRunning = false;

  /**
   * Runs one time slice. It must end, and make progress, even if the clock stands still (as in tests) or
   * is set back.
   */
  const runTimeSlice = (): void => {
    const start = clock.now();
    for (const handler of waiting) {
      waiting.delete(handler);
      while (!signal.aborted && handler.deliverNext()) {
        const elapsed = clock.now() - start;
        if (elapsed >= 0 && elapsed < timeSliceMs) continue;
        waiting.add(handler);
        handler.paused();
        return;
      }
      handler.paused();
    }
  };

  const run = async (): Promise<void> => {
    await undefined;
    while (waiting.size > 0 && !signal.aborted) {
      runTimeSlice();
      // The signal may abort the pause; the loop then ends.
      if (waiting.size > 0) await (yieldTurn?.() ?? sleep(clock, 0, signal)).catch(() => undefined);
    }
    isRunning = false;
  };

  return {
    wake(handler) {
      waiting.add(handler);
      if (isRunning) return;
      isRunning = true;
      void run();
    },
  };
}

const timeSliceMs = 5;
