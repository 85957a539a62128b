import { Event } from "../../api/events/v1/event.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";
import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";
import { createEventCorrelator, endsAfterMs, type SeenEvent } from "./event-correlator.ts";
import { createEventNames } from "./event-names.ts";
import { referenceText, referenceTo } from "./event-reference.ts";
import { createEventWriter } from "./event-writer.ts";

/** Something that happened to an object, for people to read. */
export interface RecordedEvent {
  readonly type: "Normal" | "Warning";
  /** Why, in a word: `SuccessfulCreate`. */
  readonly reason: string;
  /** What was done, in a word; the reason if not given. */
  readonly action?: string | undefined;
  /** What happened, in a sentence. */
  readonly note: string;
  /** Another object that is involved. */
  readonly related?: KubernetesObject | undefined;
}

/** Records events. It never waits and never throws. */
export interface EventRecorder {
  record(object: KubernetesObject, event: RecordedEvent): void;
}

export interface EventSinkOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The instance of the controller that reports: `CONTROLLER-HOST`. */
  readonly host: string;
}

/** Writes recorded events, one after the other. */
export interface EventSink {
  /** The recorder of a controller. */
  recorder(controller: string): EventRecorder;
  /** Accepts no more events, and resolves when all are written, or after `ms`. */
  close(ms: number): Promise<void>;
}

/** A sink that writes events of `events.k8s.io`, and counts equal events in series. */
export function createEventSink(options: EventSinkOptions): EventSink {
  const { client, clock, random, host } = options;
  const correlator = createEventCorrelator<EventInput>(clock);
  const nameFor = createEventNames(clock, random);
  const writer = createEventWriter(options);
  let isClosed: boolean = false;
  let timer: Timer | undefined;

  const enqueue = (event: EventInput): void => {
    const { name = "", namespace = "" } = event.metadata;
    writer.enqueue({
      name,
      namespace,
      isKnown: event.series !== undefined,
      write: (signal) => written(client, event, signal),
    });
  };
  const writeSeries = (entry: SeenEvent<EventInput>): void => {
    if (entry.count <= entry.told) return;
    entry.told = entry.count;
    entry.toldAt = clock.now();
    const series = {
      count: entry.count,
      lastObservedTime: formatMicroTime(timeFromMillis(entry.lastAt)),
    };
    enqueue({ ...entry.written, series });
  };
  /** Series are written at their second event, when they end, and every half hour. */
  const tend = (): void => {
    timer = clock.setTimer(endsAfterMs, () => {
      for (const entry of correlator.takeEnded()) writeSeries(entry);
      timer = undefined;
      if (correlator.entries().length > 0) tend();
    });
  };
  const tell = (event: EventInput, source: string): void => {
    const { type, reason, action, related, note = "" } = event;
    const matter = [type, reason, action, related ? referenceText(related) : ""].join("\0");
    const correlation = correlator.correlate({ source, matter, note });
    if (!timer) tend();
    if (correlation.type === "again") {
      const { entry } = correlation;
      const isDue = entry.count === 2 || clock.now() - entry.toldAt >= refreshMs;
      if (isDue && correlator.mayWrite(source)) writeSeries(entry);
      return;
    }
    if (!correlator.mayWrite(source)) return;
    const made = { ...event, note: correlation.note };
    correlation.remember(made);
    enqueue(made);
  };

  return {
    recorder: (controller) => ({
      record(object, { type, reason, action = reason, note, related }) {
        if (isClosed) return;
        const regarding = referenceTo(object);
        const reportingInstance = cut(`${controller}-${host}`, 128);
        const now = formatMicroTime(timeFromMillis(clock.now()));
        const event: EventInput = {
          metadata: {
            name: nameFor(regarding.name ?? ""),
            namespace: regarding.namespace ?? "default",
          },
          eventTime: now,
          reportingController: controller,
          reportingInstance,
          action,
          reason,
          regarding,
          ...(related && { related: referenceTo(related) }),
          note: cut(note, 1024),
          type,
        };
        tell(event, [controller, reportingInstance, referenceText(regarding), type].join("\0"));
      },
    }),
    async close(ms) {
      isClosed = true;
      timer?.cancel();
      for (const entry of correlator.entries()) writeSeries(entry);
      await writer.close(ms);
    },
  };
}

type EventInput = Pick<
  Event,
  | "metadata"
  | "eventTime"
  | "series"
  | "reportingController"
  | "reportingInstance"
  | "action"
  | "reason"
  | "regarding"
  | "related"
  | "note"
  | "type"
>;

const refreshMs = 30 * 60_000;

async function written(client: Client, event: EventInput, signal: AbortSignal): Promise<void> {
  const { series, metadata } = event;
  if (series) {
    try {
      const key = { name: metadata.name ?? "", namespace: metadata.namespace };
      await client.patch(Event, key, { strategic: { series } }, { signal });
      return;
    } catch (error) {
      // The server may have deleted the event: then it is created again.
      if (!StatusError.is(error, "NotFound")) throw error;
    }
  }
  await client.create(Event, event as never, { signal });
}

/** Truncates a text to a number of bytes. */
function cut(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const encoded = new TextEncoder().encode(text);
  if (encoded.length <= bytes) return text;
  // Drops an incomplete character at the end.
  return new TextDecoder().decode(encoded.subarray(0, bytes)).replace(/\uFFFD$/, "");
}
