import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Delta, DeltaQueue } from "./delta-queue.ts";
import type { Delivery, PendingCalls } from "./informer-delivery.ts";
import type { InformerMeter } from "./informer-metrics.ts";
import type { InformerHandler } from "./informer-options.ts";

export interface RegisteredHandlerOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly delivery: Delivery;
  readonly meter: InformerMeter;
  /** The interval of resyncs, in milliseconds; 0 disables them. */
  readonly resyncMs: number;
}

/** A handler of an informer with its pending calls. */
export class RegisteredHandler<O> implements PendingCalls {
  readonly #options: RegisteredHandlerOptions;
  readonly #queue: DeltaQueue<O>;
  /** Lists the cached objects; undefined before the first list. */
  readonly #present: () => readonly O[] | undefined;
  readonly #onDelivered: () => void;
  /** The number of calls after which the handler has seen all initial objects. */
  #syncedAt: number | undefined;
  /** The number of calls after which the last resync is complete. */
  #resyncedAt = 0;
  #resync: Timer | undefined;
  #isRemoved = false;

  constructor(
    handler: InformerHandler<O>,
    options: RegisteredHandlerOptions,
    {
      present,
      onDelivered,
    }: { readonly present: () => readonly O[] | undefined; readonly onDelivered: () => void },
  ) {
    this.#queue = new DeltaQueue(handler);
    this.#options = options;
    this.#present = present;
    this.#onDelivered = onDelivered;
    const objects = present();
    if (objects) this.start(objects);
    if (options.resyncMs > 0) this.#scheduleResync();
  }

  get received(): number {
    return this.#queue.received;
  }

  get delivered(): number {
    return this.#queue.delivered;
  }

  /** Whether the handler has seen all objects that existed when it was added. */
  get hasSynced(): boolean {
    return this.#syncedAt !== undefined && this.delivered >= this.#syncedAt;
  }

  /** Enqueues the initial objects. */
  start(objects: readonly O[]): void {
    this.push({ type: "present", objects });
    this.#syncedAt = this.received;
  }

  push(delta: Delta<O>): void {
    if (this.#isRemoved) return;
    const before = this.received;
    this.#queue.push(delta);
    this.#options.meter.queued(this.received - before);
    this.#options.delivery.wake(this);
  }

  deliverNext(): boolean {
    if (this.delivered === this.received) return false;
    const { clock, meter } = this.#options;
    const start = clock.now();
    meter.queued(-1);
    try {
      const result = this.#queue.deliverNext();
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
    meter.delivered(clock.now() - start);
    return true;
  }

  paused(): void {
    this.#onDelivered();
  }

  /** Drops pending calls and accepts no new ones. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#resync?.cancel();
    this.#options.meter.queued(this.delivered - this.received);
    this.#queue.clear();
  }

  #failed(error: unknown): void {
    this.#options.log.error("informer handler failed", error);
  }

  #scheduleResync(): void {
    const { clock, resyncMs } = this.#options;
    this.#resync = clock.setTimer(resyncMs, () => {
      const objects = this.#present();
      // Skip this resync if the last one is still being delivered.
      if (objects && this.delivered >= this.#resyncedAt) {
        this.push({ type: "resync", objects });
        this.#resyncedAt = this.received;
      }
      this.#scheduleResync();
    });
  }
}
