import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Delta, DeltaQueue } from "./delta-queue.ts";
import type { Delivery, Teller } from "./informer-delivery.ts";
import type { InformerMeter } from "./informer-metrics.ts";
import type { InformerHandler } from "./informer-options.ts";

export interface TellingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly delivery: Delivery;
  readonly meter: InformerMeter;
  /** How often the handler is told of all objects anew; never if 0. */
  readonly resyncMs: number;
}

/** A handler of an informer, and what it is still to be told. */
export class ToldHandler<O> implements Teller {
  readonly #options: TellingOptions;
  readonly #queue: DeltaQueue<O>;
  /** What is there; undefined before the first list. */
  readonly #present: () => readonly O[] | undefined;
  readonly #onTold: () => void;
  /** How much is to be told before it knows what was there at first. */
  #syncedAt: number | undefined;
  /** Where the last resync ends. */
  #resyncedAt = 0;
  #resync: Timer | undefined;
  #isRemoved = false;

  constructor(
    handler: InformerHandler<O>,
    options: TellingOptions,
    {
      present,
      onTold,
    }: { readonly present: () => readonly O[] | undefined; readonly onTold: () => void },
  ) {
    this.#queue = new DeltaQueue(handler);
    this.#options = options;
    this.#present = present;
    this.#onTold = onTold;
    const objects = present();
    if (objects) this.start(objects);
    if (options.resyncMs > 0) this.#scheduleResync();
  }

  get received(): number {
    return this.#queue.received;
  }

  get told(): number {
    return this.#queue.told;
  }

  /** Whether it was told of all that was there when it began. */
  get hasSynced(): boolean {
    return this.#syncedAt !== undefined && this.told >= this.#syncedAt;
  }

  /** Begins with what is there. */
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

  tell(): boolean {
    if (this.told === this.received) return false;
    const { clock, meter } = this.#options;
    const start = clock.now();
    meter.queued(-1);
    try {
      const result = this.#queue.tell();
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
    meter.told(clock.now() - start);
    return true;
  }

  paused(): void {
    this.#onTold();
  }

  /** Nothing more is told, not even what was received already. */
  remove(): void {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    this.#resync?.cancel();
    this.#options.meter.queued(this.told - this.received);
    this.#queue.clear();
  }

  #failed(error: unknown): void {
    this.#options.log.error("a handler failed", error);
  }

  #scheduleResync(): void {
    const { clock, resyncMs } = this.#options;
    this.#resync = clock.setTimer(resyncMs, () => {
      const objects = this.#present();
      // One that has not been told of all since the last time has enough to do.
      if (objects && this.told >= this.#resyncedAt) {
        this.push({ type: "resync", objects });
        this.#resyncedAt = this.received;
      }
      this.#scheduleResync();
    });
  }
}
