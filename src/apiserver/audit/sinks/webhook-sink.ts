import { type Clock, sleep } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";
import { type AuditEvent, auditVersion } from "../audit-event.ts";
import type { AuditSink, LostEvents } from "../audit-sink.ts";

export interface WebhookSinkOptions {
  /** Posts JSON; rejects unless the webhook accepted it. */
  readonly post: (json: string, signal: AbortSignal) => Promise<void>;
  /** Aborted when there is no more time: events that have not arrived are lost. */
  readonly signal: AbortSignal;
  /** How long to wait before the first retry, in milliseconds. */
  readonly initialBackoffMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly lost: LostEvents;
  /** Closes the connections. */
  readonly close: () => void;
}

/** Posts events as a list, and tries again for a while. */
export const webhookSink = (options: WebhookSinkOptions): AuditSink => ({
  async send(events) {
    try {
      await tryOften(() => options.post(listOf(events), options.signal), options);
      return true;
    } catch (error) {
      options.lost("webhook", error, events);
      return false;
    }
  },
  async close() {
    options.close();
  },
});

const tries = 5;
const growth = 1.5;
const jitter = 0.2;

async function tryOften(
  work: () => Promise<void>,
  { clock, random, initialBackoffMs, signal }: WebhookSinkOptions,
): Promise<void> {
  let pause = initialBackoffMs;
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === tries || signal.aborted) throw error;
    }
    await sleep(clock, pause * (1 + jitter * random.next()), signal);
    pause *= growth;
  }
}

const listOf = (events: readonly AuditEvent[]): string =>
  `{"kind":"EventList","apiVersion":"${auditVersion}","metadata":{},"items":[${events.map(({ json }) => json).join(",")}]}`;
