import type { AuditEvent } from "../audit-event.ts";
import { auditLevels } from "../audit-policy.ts";
import type { AuditSink, LostEvents, Taken } from "../audit-sink.ts";

export interface TruncationLimits {
  /** Bytes of an event. */
  readonly maxEventSize: number;
  /** Bytes of the events that are sent at a time. */
  readonly maxBatchSize: number;
}

/** Removes the objects of events that are too large, drops those that still are, and splits large batches. */
export function truncatingSink(
  sink: AuditSink,
  { limits, lost }: { readonly limits: TruncationLimits; readonly lost: LostEvents },
): AuditSink {
  return {
    send(events) {
      const { batches, tooLarge } = truncated(events, limits);
      const taken = batches.map((batch) => sink.send(batch));
      if (tooLarge.length > 0)
        lost("truncate", new Error("event is too large even after truncating"), tooLarge);
      return all(taken);
    },
    close: () => sink.close(),
  };
}

function truncated(
  events: readonly AuditEvent[],
  { maxEventSize, maxBatchSize }: TruncationLimits,
): { readonly batches: readonly (readonly AuditEvent[])[]; readonly tooLarge: AuditEvent[] } {
  const batches: AuditEvent[][] = [];
  const tooLarge: AuditEvent[] = [];
  let batch: AuditEvent[] = [];
  let batchSize = 0;
  for (const whole of events) {
    const isCut = sizeOf(whole) > maxEventSize && hasObjects(whole);
    const event = isCut ? whole.truncated() : whole;
    const size = sizeOf(event);
    if (size > maxEventSize) {
      tooLarge.push(event);
      continue;
    }
    if (batch.length > 0 && batchSize + size > maxBatchSize) {
      batches.push(batch);
      batch = [];
      batchSize = 0;
    }
    batch.push(event);
    batchSize += size;
  }
  return { batches: batch.length > 0 ? [...batches, batch] : batches, tooLarge };
}

const hasObjects = ({ facts: { level } }: AuditEvent): boolean =>
  auditLevels.indexOf(level) >= auditLevels.indexOf("Request");

const encoder = new TextEncoder();
const sizeOf = (event: AuditEvent): number => encoder.encode(event.line).length;

const all = (taken: readonly Taken[]): Taken =>
  taken.every((one) => typeof one === "boolean")
    ? taken.every((one) => one === true)
    : Promise.all(taken).then((each) => each.every((one) => one));
