/** What a request takes of the server: seats while it is executed, and others for a while after that. */
export interface WorkEstimate {
  readonly initialSeats: number;
  /** Taken after the response, while the watchers of what was written are served. */
  readonly finalSeats: number;
  readonly finalSeconds: number;
}

/** The seats that a request holds from its start until it has ended with all that follows from it. */
export const seatsOf = ({ initialSeats, finalSeats }: WorkEstimate): number =>
  Math.max(initialSeats, finalSeats);

/** Seats times seconds. */
export const finalWork = ({ finalSeats, finalSeconds }: WorkEstimate): number =>
  finalSeats * finalSeconds;

/** The work of requests that are neither lists nor writes. */
export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, finalSeconds: 0 };

const listSeatsLimit = 100;
const writeSeatsLimit = 10;
const bytesPerSeat = 100_000;
/** More of a list is never in memory at once, because lists from the cache are streamed. */
const streamedBytes = 1_000_000;
const watchersPerSeat = 10;
const secondsPerEvent = 0.005;

/** What a list, or a watch that begins with one, is about. */
export interface ListFacts {
  readonly isWatch: boolean;
  /** Whether a single name is selected. */
  readonly isSingle: boolean;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
  /** At most so many objects; 0 is no limit. */
  readonly limit: number;
  /** Whether a list of these parameters is served from the cache. */
  readonly isCached: boolean;
  readonly hasSelector: boolean;
  /** What is stored of the kind; absent for kinds that are unknown or served by others. */
  readonly stored: { readonly count: number; readonly averageBytes: number } | undefined;
}

/** The seats of a list grow with the bytes that it has in memory. `levelSeats` is what its priority level allows. */
export function estimateList(list: ListFacts, levelSeats = listSeatsLimit): WorkEstimate {
  const { isWatch, resourceVersion, sendInitialEvents, stored } = list;
  const isWithoutList = isWatch && !sendInitialEvents && !["", "0"].includes(resourceVersion);
  if (isWithoutList || !stored) return oneSeat;
  const fromCache = isWatch || list.isCached;
  const bytes = objectsInMemory(list, stored.count, fromCache) * stored.averageBytes;
  const seats = Math.ceil((fromCache ? Math.min(bytes, streamedBytes) : bytes) / bytesPerSeat);
  const most = Math.min(levelSeats, listSeatsLimit);
  return { ...oneSeat, initialSeats: Math.max(1, Math.min(seats, most)) };
}

function objectsInMemory(list: ListFacts, count: number, fromCache: boolean): number {
  if (list.isSingle) return 1;
  const limited = list.limit > 0 ? Math.min(list.limit, count) : count;
  return !fromCache && list.hasSelector ? Math.max(limited, Math.floor(count / 2)) : limited;
}

/**
 * A write is followed by one event for each watcher. With many of them, it holds further seats for a while:
 * narrower and longer where the priority level allows few.
 */
export function estimateWrite(watchers: number, levelSeats = writeSeatsLimit): WorkEstimate {
  if (watchers < watchersPerSeat) return oneSeat;
  const wanted = Math.ceil(watchers / watchersPerSeat);
  const finalSeats = Math.min(wanted, levelSeats, writeSeatsLimit);
  return { initialSeats: 1, finalSeats, finalSeconds: (wanted * secondsPerEvent) / finalSeats };
}
