import {
  decodeResponse,
  isStatus,
  type ResponseOptions,
  statusErrorOf,
} from "./decode-response.ts";
import { TransportError, type TransportResponse } from "./transport.ts";

/** One event of a watch. */
export type WatchEvent<O> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: O }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** The object of a bookmark event: all changes up to its resourceVersion have been sent. */
export interface Bookmark {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Whether a bookmark marks the end of the initial events. */
export const endsInitialEvents = ({ metadata }: Bookmark): boolean =>
  metadata.annotations?.["k8s.io/initial-events-end"] === "true";

/**
 * The events of a watch, one by one or in the batches in which they arrive. The request is sent when
 * iteration starts; the stream can be read once, and leaving the loop ends the watch. An error event is
 * thrown as a `StatusError`: `Expired` means that events are missing and a relist is needed.
 */
export interface WatchStream<O> extends AsyncIterable<WatchEvent<O>> {
  batches(): AsyncIterable<readonly WatchEvent<O>[]>;
}

/** Creates the stream of a watch; `open` sends the request. */
export function watchStream<O>(
  open: () => Promise<TransportResponse>,
  options: ResponseOptions,
): WatchStream<O> {
  async function* batches(): AsyncGenerator<readonly WatchEvent<O>[]> {
    const response = await open();
    if (response.status >= 300) await decodeResponse(response, options);
    for await (const values of response.values()) {
      const faulty = values.findIndex((value) => !isEvent(value));
      const events = (faulty < 0 ? values : values.slice(0, faulty)) as readonly WatchEvent<O>[];
      if (events.length > 0) yield events;
      if (faulty >= 0) throw errorIn(values[faulty]);
    }
  }
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch;
    },
  };
}

/** Decodes an error event; other values are a fault of the server. */
function errorIn(value: unknown): Error {
  const { object } = (value ?? {}) as { readonly object?: unknown };
  if (isStatus(object)) return statusErrorOf(object);
  return new TransportError("the server sent an invalid watch event");
}

function isEvent(value: unknown): boolean {
  const { type, object } = (value ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  return types.has(type) && typeof object === "object" && object !== null;
}

const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);
