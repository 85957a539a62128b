import type { Clock } from "../../base/clock.ts";
import { TokenBucket } from "../../base/queue/token-bucket.ts";

/** The content by which events are compared. */
export interface EventFacts {
  /** The reporter and the object; events of one source share a rate limit. */
  readonly source: string;
  /** What happened, without the note: type, reason, action and related object. */
  readonly matter: string;
  readonly note: string;
}

/** How an event is written. */
export type Correlation<T> =
  /** It is new: it is created, and remembered as created. */
  | { readonly type: "new"; readonly note: string; remember(written: T): void }
  /** It was written before. */
  | { readonly type: "again"; readonly note: string; readonly entry: SeenEvent<T> };

/** An event that is repeated. */
export interface SeenEvent<T> {
  readonly written: T;
  count: number;
  lastAt: number;
  /** The count that was last written, and when. */
  told: number;
  toldAt: number;
}

/** Decides which events are equal, which are similar, and which exceed the rate limit. */
export interface EventCorrelator<T> {
  correlate(facts: EventFacts): Correlation<T>;
  /** Whether a source may write once more: 25 times at once, and once in five minutes after that. */
  mayWrite(source: string): boolean;
  /** Ends the series in which nothing has happened for a while, and returns them. */
  takeEnded(): readonly SeenEvent<T>[];
  /** All series that have not ended. */
  entries(): readonly SeenEvent<T>[];
}

/** A correlator without history. */
export function createEventCorrelator<T>(clock: Clock): EventCorrelator<T> {
  const seen = new Map<string, SeenEvent<T>>();
  const similar = new Map<string, { notes: Set<string>; lastAt: number }>();
  const budgets = new Map<string, TokenBucket>();

  /** The note of an event; too many similar events share one note. */
  const noteOf = (
    matter: string,
    note: string,
  ): { readonly note: string; readonly key: string } => {
    const now = clock.now();
    let group = similar.get(matter);
    if (!group || now - group.lastAt > similarMs) group = { notes: new Set(), lastAt: now };
    remember(similar, matter, group);
    group.lastAt = now;
    group.notes.add(note);
    if (group.notes.size < mostSimilar) return { note, key: `${matter}\0${note}` };
    // Only the number of notes matters, not which of them are kept.
    group.notes.delete(note);
    return { note: `(combined from similar events): ${note}`, key: matter };
  };

  return {
    correlate({ source, matter, note }) {
      const { note: written, key } = noteOf(`${source}\0${matter}`, note);
      const entry = seen.get(key);
      if (entry) {
        entry.count++;
        entry.lastAt = clock.now();
        remember(seen, key, entry);
        return { type: "again", note: written, entry };
      }
      return {
        type: "new",
        note: written,
        remember(event) {
          const now = clock.now();
          remember(seen, key, { written: event, count: 1, lastAt: now, told: 1, toldAt: now });
        },
      };
    },
    mayWrite(source) {
      const budget =
        budgets.get(source) ?? new TokenBucket({ clock, rate: 1 / 300, burst: mostAtOnce });
      remember(budgets, source, budget);
      return budget.tryTake();
    },
    takeEnded() {
      const ended = [...seen].filter(([, { lastAt }]) => clock.now() - lastAt >= endsAfterMs);
      for (const [key] of ended) seen.delete(key);
      return ended.map(([, entry]) => entry);
    },
    entries: () => [...seen.values()],
  };
}

/** Moves an entry to the end, and removes the least recently used one. */
function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostEntries) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

const mostEntries = 4096;
const mostSimilar = 10;
const similarMs = 10 * 60_000;
const mostAtOnce = 25;
/** A series without events for this long has ended. */
export const endsAfterMs = 6 * 60_000;
