import type { Sent } from "../../base/protobuf-message.ts";
import type { Event, WatchResponse } from "../etcd/etcd-messages.ts";

/**
 * Splits a response into parts of about this size, each with at least one event; all but the last are
 * marked as fragments.
 */
export function fragments(
  response: Sent<WatchResponse>,
  most: number,
): readonly Sent<WatchResponse>[] {
  const parts: Sent<Event>[][] = [[]];
  let size = 0;
  for (const event of response.events ?? []) {
    const weight = weightOf(event);
    const last = parts.at(-1);
    if (last && (last.length === 0 || size + weight < most)) {
      last.push(event);
      size += weight;
    } else {
      parts.push([event]);
      size = weight;
    }
  }
  return parts.map((events, index) => ({
    ...response,
    events,
    fragment: index < parts.length - 1,
  }));
}

/** The maximum size of a message beside its keys and values. */
const overhead = 64;

const weightOf = ({ kv, prev_kv }: Sent<Event>): number =>
  [kv, prev_kv].reduce(
    (sum, one) => sum + (one?.key?.length ?? 0) + (one?.value?.length ?? 0),
    overhead,
  );
