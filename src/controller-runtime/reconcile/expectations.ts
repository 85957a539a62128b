import type { Clock } from "../../base/clock.ts";

/**
 * What a controller waits to see before it looks again: so many creations, and the deletions of these
 * very objects. A key with none, with all seen, or with some that are five minutes old is satisfied.
 */
export interface Expectations {
  /** Replaces what is expected of a key. */
  expectCreations(key: string, count: number): void;
  /** Replaces what is expected of a key. */
  expectDeletions(key: string, uids: readonly string[]): void;
  creationObserved(key: string): void;
  /** That an object is on its way out counts too, and each one once. */
  deletionObserved(key: string, uid: string): void;
  /** Takes back expectations: of creations that failed, for example. */
  lower(key: string, creations: number): void;
  /** Adds to what is expected of a key, if anything is. */
  raise(key: string, creations: number): void;
  satisfied(key: string): boolean;
  /** What is still missing of a key; undefined where nothing was expected. */
  missing(key: string): { readonly creations: number; readonly deletions: number } | undefined;
  forget(key: string): void;
}

/** Nothing expected yet. */
export function createExpectations(
  clock: Pick<Clock, "now">,
  timeoutMs = 5 * 60_000,
): Expectations {
  const expected = new Map<string, { creations: number; uids: Set<string>; since: number }>();
  const add = (key: string, creations: number): void => {
    const record = expected.get(key);
    if (record) record.creations += creations;
  };
  return {
    expectCreations(key, count) {
      expected.set(key, { creations: count, uids: new Set(), since: clock.now() });
    },
    expectDeletions(key, uids) {
      expected.set(key, { creations: 0, uids: new Set(uids), since: clock.now() });
    },
    creationObserved: (key) => add(key, -1),
    deletionObserved: (key, uid) => void expected.get(key)?.uids.delete(uid),
    lower: (key, creations) => add(key, -creations),
    raise: add,
    satisfied(key) {
      const record = expected.get(key);
      if (!record) return true;
      if (record.creations <= 0 && record.uids.size === 0) return true;
      return clock.now() - record.since > timeoutMs;
    },
    missing(key) {
      const record = expected.get(key);
      return record && { creations: record.creations, deletions: record.uids.size };
    },
    forget: (key) => void expected.delete(key),
  };
}
