import type { Sent } from "../../base/protobuf-message.ts";
import type { Event, WatchResponse } from "../etcd/etcd-messages.ts";

/** Parts of a response of about so many bytes at most, each with an event at least; all but the last say that more follows. */
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

/** What a message has beside its keys and values, at most. */
const overhead = 64;

const weightOf = ({ kv, prev_kv }: Sent<Event>): number =>
  [kv, prev_kv].reduce(
    (sum, one) => sum + (one?.key?.length ?? 0) + (one?.value?.length ?? 0),
    overhead,
  );
