import type { Sent } from "../../base/protobuf-message.ts";
import {
  type Event,
  eventTypes,
  type KeyValue,
  type WatchCreateRequest,
  watchFilters,
} from "../etcd/etcd-messages.ts";
import type { Entry, StoreEvent, WatchBatch } from "../store.ts";
import type { StoreView } from "../transactor.ts";
import { leaseOf, leasesIn } from "./attachment.ts";
import { inRange, type KeyRange, keyRange } from "./key-range.ts";
import { keyValue, tombstone } from "./key-values.ts";

/** The filter of a watch. */
export interface Wanted {
  readonly range: KeyRange;
  readonly withPrevious: boolean;
  readonly types: ReadonlySet<StoreEvent["type"]>;
}

export function wantedBy(request: WatchCreateRequest): Wanted {
  const { key, range_end, filters, prev_kv } = request;
  const types = new Set<StoreEvent["type"]>();
  if (!filters.includes(watchFilters.noPut)) types.add("put");
  if (!filters.includes(watchFilters.noDelete)) types.add("delete");
  // Without a key, the range starts with the first one.
  const range = keyRange(key.length === 0 ? first : key, range_end);
  return { range, types, withPrevious: prev_kv };
}

/** Converts the events of a commit that pass a watch's filter to those of etcd. */
export function eventsFor(batch: WatchBatch, wanted: Wanted, view: StoreView): Sent<Event>[] {
  const { range, types, withPrevious } = wanted;
  const events = batch.events.filter(({ type, key }) => types.has(type) && inRange(range, key));
  if (events.length === 0) return [];
  const known = leasesIn(batch.events);
  const written = (entry: Entry): KeyValue => keyValue(entry, known(entry) ?? leaseOf(view, entry));
  return events.map(({ type, key, entry, previous, revision }) => ({
    type: eventTypes[type],
    kv: entry ? written(entry) : tombstone(key, revision),
    prev_kv: withPrevious && previous ? written(previous) : undefined,
  }));
}

const first = new Uint8Array(1);
