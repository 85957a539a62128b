import { over } from "../base/over.ts";
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
  open: (signal: AbortSignal) => Promise<TransportResponse>,
  options: AnswerOptions & { readonly signal?: AbortSignal | undefined },
): WatchStream<O> {
  async function* batches(): AsyncGenerator<readonly WatchEvent<O>[]> {
    const ending = new AbortController();
    const { signal } = options;
    const end = (): void => ending.abort(signal?.reason);
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end, { once: true });
    try {
      const response = await open(ending.signal);
      if (response.status >= 300) await answered(response, options);
      for await (const values of response.values()) yield* untilError<O>(values);
    } finally {
      signal?.removeEventListener("abort", end);
      ending.abort(over);
    }
  }
  return {
    batches,
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches()) yield* batch;
    },
  };
}

/** The events up to an error among them, which is thrown after those. */
function* untilError<O>(values: readonly unknown[]): Generator<readonly WatchEvent<O>[]> {
  const faulty = values.findIndex((value) => !isEvent(value));
  if (faulty < 0) {
    yield values as readonly WatchEvent<O>[];
    return;
  }
  if (faulty > 0) yield values.slice(0, faulty) as readonly WatchEvent<O>[];
  const { object } = (values[faulty] ?? {}) as { readonly object?: unknown };
  if (isStatus(object)) throw errorOf(object);
  throw new TransportError("the server sent something that is no event of a watch");
}

function isEvent(value: unknown): boolean {
  const { type, object } = (value ?? {}) as { readonly type?: unknown; readonly object?: unknown };
  return types.has(type) && typeof object === "object" && object !== null;
}

const types: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);
