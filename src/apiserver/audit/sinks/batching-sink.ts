import { type Clock, sleep, type Timer } from "../../../base/clock.ts";
import type { AuditEvent } from "../audit-event.ts";
import type { AuditSink, LostEvents } from "../audit-sink.ts";

export interface BatchOptions {
  /** How many events may wait. */
  readonly bufferSize: number;
  /** How many events are sent at a time. */
  readonly maxBatchSize: number;
  /** How long an event waits for others, in milliseconds. */
  readonly maxBatchWaitMs: number;
  /** How many batches a second are sent, and how many at once after a rest; as fast as they come if not given. */
  readonly throttle?: { readonly qps: number; readonly burst: number } | undefined;
  /** Whether a batch is sent before the one before it has arrived. */
  readonly concurrent: boolean;
}

export interface BatchingParts {
  readonly clock: Clock;
  readonly lost: LostEvents;
}

/** Takes events at once and sends them in batches; events beyond the buffer are lost. */
export class BatchingSink implements AuditSink {
  readonly #sink: AuditSink;
  readonly #options: BatchOptions;
  readonly #parts: BatchingParts;
  readonly #waiting: AuditEvent[] = [];
  readonly #underway = new Set<Promise<unknown>>();
  readonly #tokens: TokenBucket | undefined;
  /** Sends the events that wait although a batch is not full. */
  #timer: Timer | undefined;
  #draining: Promise<void> | undefined;
  #isClosed = false;

  constructor(sink: AuditSink, options: BatchOptions, parts: BatchingParts) {
    this.#sink = sink;
    this.#options = options;
    this.#parts = parts;
    const { throttle } = options;
    this.#tokens = throttle && new TokenBucket(throttle, parts.clock);
  }

  send(events: readonly AuditEvent[]): boolean {
    const room = this.#isClosed ? 0 : this.#options.bufferSize - this.#waiting.length;
    const taken = events.slice(0, Math.max(room, 0));
    for (const event of taken) this.#waiting.push(event);
    if (taken.length < events.length) {
      const why = this.#isClosed ? "audit backend shut down" : "audit buffer queue blocked";
      this.#parts.lost("buffered", new Error(why), events.slice(taken.length));
    }
    this.#schedule();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#draining;
    await this.#drain(() => this.#waiting.length > 0);
    await Promise.all(this.#underway);
    await this.#sink.close();
  }

  get #hasFullBatch(): boolean {
    return this.#waiting.length >= this.#options.maxBatchSize;
  }

  /** Sends full batches at once, and a smaller one when the wait is over. */
  #schedule(): void {
    if (this.#draining || this.#waiting.length === 0 || this.#isClosed) return;
    if (this.#hasFullBatch) this.#start(() => this.#hasFullBatch);
    else
      this.#timer ??= this.#parts.clock.setTimer(this.#options.maxBatchWaitMs, () => {
        let isFirst = true;
        this.#start(() => {
          const goesOn = this.#waiting.length > 0 && (isFirst || this.#hasFullBatch);
          isFirst = false;
          return goesOn;
        });
      });
  }

  #start(goesOn: () => boolean): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#draining = this.#drain(goesOn).finally(() => {
      this.#draining = undefined;
      this.#schedule();
    });
  }

  async #drain(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      if (this.#tokens) await this.#tokens.take();
      const batch = this.#waiting.splice(0, this.#options.maxBatchSize);
      const sent = Promise.resolve(this.#sink.send(batch));
      if (!this.#options.concurrent) {
        await sent;
        continue;
      }
      this.#underway.add(sent);
      void sent.finally(() => this.#underway.delete(sent));
    }
  }
}

/** Allows so many takes a second, and a burst after a rest. */
class TokenBucket {
  readonly #clock: Clock;
  readonly #qps: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  constructor({ qps, burst }: NonNullable<BatchOptions["throttle"]>, clock: Clock) {
    this.#clock = clock;
    this.#qps = qps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = clock.now();
  }

  async take(): Promise<void> {
    const now = this.#clock.now();
    const rested = Math.max(0, now - this.#at) / 1000;
    this.#tokens = Math.min(this.#burst, this.#tokens + rested * this.#qps) - 1;
    this.#at = now;
    if (this.#tokens < 0) await sleep(this.#clock, (-this.#tokens / this.#qps) * 1000);
  }
}
