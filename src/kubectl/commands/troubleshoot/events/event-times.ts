import type { DynamicObject } from "../../../../client/resource-kind.ts";

/** An event, as far as it is printed. */
export interface ClusterEvent extends DynamicObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly eventTime?: string | null;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string | null };
}

/** The order of events: by the time at which they were last seen. */
export const compareEvents = (a: ClusterEvent, b: ClusterEvent): number =>
  lastSeen(a) - lastSeen(b);

function lastSeen({ series, lastTimestamp, eventTime }: ClusterEvent): number {
  const time = series ? series.lastObservedTime : lastTimestamp || eventTime;
  return time ? Date.parse(time) : Number.NEGATIVE_INFINITY;
}
