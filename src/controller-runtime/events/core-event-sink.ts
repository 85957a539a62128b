import { Event } from "../../api/core/v1/event/event.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { createEventCorrelator } from "./event-correlator.ts";
import { createEventNames } from "./event-names.ts";
import type { EventSink, EventSinkOptions } from "./event-recorder.ts";
import { referenceText, referenceTo } from "./event-reference.ts";
import { createEventWriter } from "./event-writer.ts";

/** A sink that writes events of the core API, as upstream's controllers still do: equal events are counted in one. */
export function createCoreEventSink(options: Omit<EventSinkOptions, "host">): EventSink {
  const { client, clock, random } = options;
  const correlator = createEventCorrelator<WrittenEvent>(clock);
  const nameFor = createEventNames(clock, random);
  const writer = createEventWriter(options);
  let isClosed: boolean = false;

  const enqueue = (event: WrittenEvent): void => {
    const { metadata, count } = event;
    writer.enqueue({
      ...metadata,
      isKnown: count > 1,
      write: async (signal) => {
        if (count > 1 && (await toldAgain(event, signal))) return;
        await client.create(Event, event as never, { signal });
      },
    });
  };
  /** Whether the server still had the event. */
  const toldAgain = async (
    { metadata, count, message, lastTimestamp }: WrittenEvent,
    signal: AbortSignal,
  ): Promise<boolean> => {
    try {
      const strategic = { count, message, lastTimestamp };
      await client.patch(Event, metadata, { strategic }, { signal });
      return true;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return false;
      throw error;
    }
  };

  return {
    recorder: (component) => ({
      record(object, { type, reason, note }) {
        if (isClosed) return;
        const involvedObject = referenceTo(object);
        const source = [component, referenceText(involvedObject)].join("\0");
        const seen = correlator.correlate({ source, matter: [type, reason].join("\0"), note });
        const now = formatTime(timeFromMillis(clock.now()));
        if (seen.type === "again") {
          const { written, count } = seen.entry;
          const message = seen.note;
          if (correlator.mayWrite(source))
            enqueue({ ...written, count, message, lastTimestamp: now });
          return;
        }
        const { name = "", namespace = "default" } = involvedObject;
        const event: WrittenEvent = {
          metadata: { name: nameFor(name), namespace },
          involvedObject,
          reason,
          message: seen.note,
          source: { component },
          firstTimestamp: now,
          lastTimestamp: now,
          count: 1,
          type,
          reportingComponent: component,
        };
        seen.remember(event);
        if (correlator.mayWrite(source)) enqueue(event);
      },
    }),
    async close(ms) {
      isClosed = true;
      await writer.close(ms);
    },
  };
}

type WrittenEvent = Pick<
  Event,
  "involvedObject" | "source" | "firstTimestamp" | "lastTimestamp" | "reportingComponent"
> & {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly type: string;
};
