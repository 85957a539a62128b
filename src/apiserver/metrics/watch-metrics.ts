import type { Counter, Family, Histogram, Metrics } from "../../base/metrics.ts";
import type { AnyKind } from "../objects/object.ts";
import { followedStream } from "../request/followed-stream.ts";
import type { StreamBody } from "../request/request.ts";
import type { RequestState } from "../request/request-state.ts";
import { resourceLabels } from "./request-labels.ts";

/** The metrics of what watches send. */
export class WatchMetrics {
  readonly #events: Family<Counter>;
  readonly #sizes: Family<Histogram>;
  readonly #lists: Family<Histogram>;

  constructor(metrics: Metrics) {
    this.#events = metrics.counter(events);
    this.#sizes = metrics.histogram(sizes);
    this.#lists = metrics.histogram(lists);
  }

  /** Counts a watch that has sent all objects with which it began. */
  listed(state: RequestState, { group, version, plural }: AnyKind): void {
    if (state.target.type !== "resource") return;
    const { scope } = resourceLabels(state, state.target.resource);
    this.#lists.of(group, version, plural, scope).observe(state.elapsed());
  }

  /**
   * Wraps a stream to count its chunks as events of the kind, if there is one. `begin` is called when it starts,
   * and the function that it returns when the stream ends or is stopped.
   */
  counted<Chunk>(
    stream: StreamBody<Chunk>,
    kind: AnyKind | undefined,
    begin: () => () => void,
  ): StreamBody<Chunk> {
    return followedStream(stream, { begin, ...(kind && { wrote: this.#eventsOf(kind) }) });
  }

  #eventsOf({ group, version, plural }: AnyKind): (chunk: unknown) => void {
    const count = this.#events.of(group, version, plural);
    const size = this.#sizes.of(group, version, plural);
    return (chunk) => {
      count.add(1);
      // A value has no size in bytes.
      if (typeof chunk === "string" || chunk instanceof Uint8Array) size.observe(chunk.length);
    };
  }
}

const labels = ["group", "version", "resource"] as const;

const events = {
  name: "apiserver_watch_events_total",
  help: "Events that watchers were sent.",
  stability: "ALPHA",
  labels,
} as const;

const sizes = {
  name: "apiserver_watch_events_sizes",
  help: "Bytes of the events that watchers were sent.",
  stability: "ALPHA",
  labels,
  buckets: [1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072],
} as const;

const lists = {
  name: "apiserver_watch_list_duration_seconds",
  help: "Seconds until watches had sent all objects with which they begin.",
  stability: "BETA",
  labels: [...labels, "scope"],
  buckets: [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60],
} as const;
