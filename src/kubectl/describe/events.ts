import type { Event } from "../../api/core/v1/event/event.ts";
import type { Clock } from "../../base/clock.ts";
import { goSorted } from "../../schema/values/go-sort.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import type { Description } from "./description.ts";
import { sinceText } from "./time-text.ts";

/** The events of an object as a table, the latest last; nothing if they are not shown. */
export function eventLines(
  d: Description,
  events: readonly Event[] | undefined,
  clock: Clock,
): void {
  if (events === undefined) return;
  if (events.length === 0) {
    d.field("Events", "<none>");
    return;
  }
  d.flush();
  d.line("Events:");
  d.row(["Type", "Reason", "Age", "From", "Message"], 1);
  d.row(["----", "------", "----", "----", "-------"], 1);
  for (const event of goSorted(events, (a, b) => lastTime(a) < lastTime(b)))
    d.row(cellsOf(event, clock), 1);
}

const lastTime = ({ lastTimestamp }: Event): number =>
  lastTimestamp ? millisOf(parseTime(lastTimestamp)) : Number.NEGATIVE_INFINITY;

function cellsOf(event: Event, clock: Clock): readonly string[] {
  const { type, reason, source, reportingComponent, involvedObject } = event;
  const text = (event.message ?? "").trim();
  const { fieldPath } = involvedObject;
  return [
    type ?? "",
    reason ?? "",
    ageOf(event, clock),
    source?.component || reportingComponent || "",
    fieldPath ? `${fieldPath}: ${text}` : text,
  ];
}

function ageOf(event: Event, clock: Clock): string {
  const { eventTime, firstTimestamp, lastTimestamp, series, count = 0 } = event;
  const first = sinceText(eventTime || firstTimestamp, clock);
  if (series) {
    const last = sinceText(series.lastObservedTime, clock);
    return `${last} (x${series.count ?? 0} over ${first})`;
  }
  return count > 1 ? `${sinceText(lastTimestamp, clock)} (x${count} over ${first})` : first;
}
