import { type Clock, sleep } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { type Transport, TransportError, type TransportResponse } from "../transport.ts";

/** Fixed properties of a faulty server. */
export interface Traits {
  /** The share of requests, and of batches in watches, that have a fault. */
  readonly faultRate: number;
  /** Whether streaming lists are supported, rejected, or treated as ordinary watches. */
  readonly streams: "served" | "refused" | "unknown";
  /** The maximum page size; 0: no maximum. */
  readonly pageSize: number;
  /** Whether it sends bookmarks. */
  readonly sendsBookmarks: boolean;
}

/** A transport to a faulty server; the faults are reproducible from a seed. */
export interface MisbehavingTransport {
  readonly transport: Transport;
  /** Stops injecting faults; existing ones remain. */
  calmDown(): void;
  /** The number of requests in flight. */
  readonly openCalls: number;
  /** The number of faults by name. */
  readonly faults: ReadonlyMap<string, number>;
}

export function misbehavingTransport(
  below: Transport,
  traits: Traits,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): MisbehavingTransport {
  const faults = new Map<string, number>();
  const delivered = new Map<string, Told[]>();
  let isCalm = false;
  let openCalls = 0;

  const goesWrong = (): boolean => !isCalm && random.next() < traits.faultRate;
  const pick = <T>(...choices: readonly T[]): T =>
    choices[Math.floor(random.next() * choices.length)] as T;
  const count = <F extends string>(fault: F): F => {
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return fault;
  };

  /** Faults before a request reaches the server. */
  const injectFault = async (
    signal: AbortSignal | undefined,
  ): Promise<TransportResponse | undefined> => {
    if (!goesWrong()) return undefined;
    switch (count(pick("refused", "500", "503", "429", "html", "no answer", "late answer"))) {
      case "refused":
        throw new TransportError("connection refused");
      case "500":
        return refusalOf(500, "InternalError", "something broke");
      case "503":
        return refusalOf(503, "ServiceUnavailable", "not now", pick({}, { "retry-after": "2" }));
      case "429":
        return refusalOf(429, "TooManyRequests", "slow down", pick({}, { "retry-after": "3" }));
      case "html":
        return plain(502, "<html>bad gateway</html>");
      case "no answer":
        return await never(signal);
      default:
        await sleep(clock, random.next() * 20_000, signal);
        return undefined;
    }
  };

  /** The events of a watch with faults. */
  async function* events(
    values: AsyncIterable<readonly unknown[]>,
    { scope, version, signal }: WatchCall,
  ): AsyncGenerator<readonly unknown[]> {
    const before = entryOf(delivered, scope);
    if (version !== "" && goesWrong()) {
      count("old events first");
      yield before.filter((event) => versionOf(event) <= Number(version) && random.next() < 0.5);
    }
    const seen: Told[] = [];
    const holdsEnd = version === "" && goesWrong();
    const where = holdsEnd
      ? count(pick("changes before the end of a list", "changes with it"))
      : "";
    const wait = (): Promise<void> => sleep(clock, random.next() * 20_000, signal);
    const hold = holdsEnd ? { wait, isLast: where !== "changes with it" } : undefined;
    for await (const arrived of together(values, hold)) {
      const batch = arrived.filter((event) => traits.sendsBookmarks || !isProgress(event));
      const changes = batch.filter((event) => typeOf(event) !== "BOOKMARK") as Told[];
      seen.push(...changes);
      before.push(...changes);
      const fault = goesWrong() ? streamFaults[count(pick(...streamFaultNames))] : asItIs;
      const end = yield* fault(batch, { seen, clock, random, signal });
      if (end === "end") return;
    }
  }

  /** Responses of an older server, or of one that is out of order. */
  const refuse = (query: URLSearchParams): TransportResponse | undefined => {
    if (query.has("sendInitialEvents") && traits.streams === "refused")
      return refusalOf(422, "Invalid", "sendInitialEvents: Forbidden");
    if (query.has("sendInitialEvents") && traits.streams === "unknown") {
      query.delete("sendInitialEvents");
      query.delete("resourceVersionMatch");
    }
    if (query.has("continue") && goesWrong()) {
      count("410 between pages");
      return refusalOf(410, "Expired", "The provided continue parameter is too old");
    }
    if (query.has("limit") && traits.pageSize > 0) query.set("limit", String(traits.pageSize));
    return undefined;
  };

  const transport: Transport = async (request) => {
    const { path, signal } = request;
    const query = new URLSearchParams(request.query);
    const isWatch = query.get("watch") === "true";
    openCalls++;
    let ended = false;
    const end = (): void => {
      if (!ended) openCalls--;
      ended = true;
    };
    try {
      const early = await injectFault(signal);
      if (early) return closing(early, end);
      const refused = refuse(query);
      if (refused) return closing(refused, end);
      const response = await below({ ...request, query: query.toString() });
      if (!isWatch || response.status >= 400) return closing(response, end);
      const isInitial = query.has("sendInitialEvents");
      const version = isInitial ? "" : (query.get("resourceVersion") ?? "");
      const scope = `${path} ${query.get("labelSelector")} ${query.get("fieldSelector")}`;
      const values = (): AsyncIterable<readonly unknown[]> =>
        events(response.values(), { scope, version, signal });
      return closing({ ...response, values }, end);
    } catch (error) {
      end();
      throw error;
    }
  };

  return {
    transport,
    faults,
    calmDown() {
      isCalm = true;
    },
    get openCalls() {
      return openCalls;
    },
  };
}

/** The parameters of a watch request. */
interface WatchCall {
  readonly scope: string;
  /** Empty if the watch starts with all objects. */
  readonly version: string;
  readonly signal?: AbortSignal | undefined;
}

interface FaultContext {
  /** The events so far. */
  readonly seen: readonly Told[];
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
}

type Batches = AsyncGenerator<readonly unknown[], "end" | undefined>;
type StreamFault = (batch: readonly unknown[], context: FaultContext) => Batches;

const asItIs: StreamFault = async function* (batch) {
  if (batch.length > 0) yield batch;
  return undefined;
};

/** Faults in the events of a watch. */
const streamFaults = {
  async *timer(batch, { signal }) {
    yield batch;
    return await never(signal);
  },
  async *dropped(batch) {
    yield batch;
    throw new TransportError("connection reset");
  },
  async *ended(batch) {
    yield batch;
    return "end";
  },
  async *halfALine(batch, { random }) {
    yield batch.slice(0, Math.floor(random.next() * batch.length));
    throw new TransportError("the connection broke in the middle of a line");
  },
  async *repeated(batch, { seen, random }) {
    yield batch;
    yield seen.filter(() => random.next() < 0.5);
    return undefined;
  },
  async *otherTypes(batch) {
    yield batch.map(confused);
    return undefined;
  },
  async *oneByOne(batch) {
    for (const event of batch) yield [event];
    return undefined;
  },
  async *late(batch, { clock, random, signal }) {
    await sleep(clock, random.next() * 30_000, signal);
    yield batch;
    return undefined;
  },
  async *expired(batch) {
    yield [...batch, errorEvent(410, "Expired", "too old resource version")];
    return "end";
  },
  async *broken(batch) {
    yield [...batch, errorEvent(500, "InternalError", "broken")];
    return "end";
  },
} satisfies Record<string, StreamFault>;

const streamFaultNames = Object.keys(streamFaults) as (keyof typeof streamFaults)[];

interface Told {
  readonly type: string;
  readonly object: { readonly metadata: { readonly resourceVersion: string } };
}

const typeOf = (event: unknown): string => (event as Told).type;
const versionOf = (event: Told): number => Number(event.object.metadata.resourceVersion);

/** Whether an event is a bookmark other than the final one of initial events. */
function isProgress(event: unknown): boolean {
  const { metadata } = (event as Told).object as { metadata: { annotations?: object } };
  return typeOf(event) === "BOOKMARK" && metadata.annotations === undefined;
}

/** Swaps ADDED and MODIFIED: servers differ in what they call an object that is new to a watch. */
function confused(event: unknown): unknown {
  const other = { ADDED: "MODIFIED", MODIFIED: "ADDED" }[typeOf(event)];
  return other ? { ...(event as object), type: other } : event;
}

const statusOf = (code: number, reason: string, message: string): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message,
  reason,
  code,
});
const errorEvent = (code: number, reason: string, message: string): object => ({
  type: "ERROR",
  object: statusOf(code, reason, message),
});

function refusalOf(
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): TransportResponse {
  return answerOf(code, statusOf(code, reason, message), headers);
}
const plain = (code: number, text: string): TransportResponse => answerOf(code, text, {});

function answerOf(
  status: number,
  value: unknown,
  headers: Record<string, string>,
): TransportResponse {
  return {
    status,
    headers,
    value: async () => value,
    async *values() {
      yield [value];
    },
    async *bytes() {},
  };
}

/** Wraps a response and reports when it has been read. */
function closing(response: TransportResponse, end: () => void): TransportResponse {
  return {
    ...response,
    value: () => response.value().finally(end),
    async *values() {
      try {
        yield* response.values();
      } finally {
        end();
      }
    },
  };
}

/**
 * Joins the batches that arrive while the reader is busy. `hold` delays the final bookmark of initial
 * events; changes meanwhile arrive with or before it, as on real servers.
 */
async function* together(
  values: AsyncIterable<readonly unknown[]>,
  hold: { wait(): Promise<void>; readonly isLast: boolean } | undefined,
): AsyncGenerator<readonly unknown[]> {
  const iterator = values[Symbol.asyncIterator]();
  let arrived: Told[] = [];
  let end: { readonly error?: unknown } | undefined;
  let wake = (): void => {};
  const pump = async (): Promise<void> => {
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        arrived.push(...(next.value as readonly Told[]));
        wake();
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wake();
  };
  void pump();
  try {
    for (;;) {
      if (hold && arrived.some(isClosing)) {
        await hold.wait();
        if (hold.isLast) arrived = closedLast(arrived);
        hold = undefined;
      }
      if (arrived.length > 0) {
        const batch = arrived;
        arrived = [];
        yield batch;
      } else if (end) {
        if ("error" in end) throw end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    // The pump may still be reading; the abort makes its result irrelevant.
    iterator.return?.().catch(() => undefined);
  }
}

const isClosing = (event: Told): boolean => typeOf(event) === "BOOKMARK" && !isProgress(event);

/** Moves the final bookmark behind all changes, with their resourceVersion. */
function closedLast(events: readonly Told[]): Told[] {
  const changes = events.filter((event) => typeOf(event) !== "BOOKMARK");
  const closing = events.find(isClosing) as Told;
  const resourceVersion = String(Math.max(...[...changes, closing].map(versionOf)));
  const { metadata, ...object } = closing.object;
  return [
    ...changes,
    { ...closing, object: { ...object, metadata: { ...metadata, resourceVersion } } },
  ];
}

function never(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function entryOf<V>(map: Map<string, V[]>, key: string): V[] {
  const known = map.get(key);
  if (known) return known;
  const made: V[] = [];
  map.set(key, made);
  return made;
}
