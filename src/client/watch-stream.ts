import { type AnswerOptions, answered, errorOf, isStatus } from "./answer.ts";
import { TransportError, type TransportResponse } from "./transport.ts";

/** One change that a watch tells of. */
export type WatchEvent<O> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: O }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** How far a watch has come: there is nothing before this version that it has not told. */
export interface Bookmark {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** Whether a bookmark closes the initial events. */
export const endsInitialEvents = ({ metadata }: Bookmark): boolean =>
  metadata.annotations?.["k8s.io/initial-events-end"] === "true";

/**
 * The changes of a watch: event by event, or as many at a time as have arrived. It begins when it is
 * first asked, can be read once, and is ended by whoever stops asking. An error that the server sends
 * is thrown as a `StatusError`, of which `Expired` says that changes are missing.
 */
export interface WatchStream<O> extends AsyncIterable<WatchEvent<O>> {
  batches(): AsyncIterable<readonly WatchEvent<O>[]>;
}

/** The stream of a watch that `open` begins. */
export function watchStream<O>(
  open: () => Promise<TransportResponse>,
  options: AnswerOptions,
): WatchStream<O> {
  async function* batches(): AsyncGenerator<readonly WatchEvent<O>[]> {
    const response = await open();
    if (response.status >= 300) await answered(response, options);
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

/** What something says that is no event. */
function errorIn(value: unknown): Error {
  const { object } = (value ?? {}) as { readonly object?: unknown };
  if (isStatus(object)) return errorOf(object);
  return new TransportError("the server sent something that is no event of a watch");
}

function isEvent(value: unknown): boolean {
  const { type, object } = (value ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  return types.has(type) && typeof object === "object" && object !== null;
}

const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);
