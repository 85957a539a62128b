import type { Clock } from "../../base/clock.ts";

/**
 * Creations and deletions that a controller must observe before it reconciles a key again. A key is
 * satisfied if it has no expectations, if all were observed, or if they are five minutes old.
 */
export interface Expectations {
  /** Replaces what is expected of a key. */
  expectCreations(key: string, count: number): void;
  /** Replaces what is expected of a key. */
  expectDeletions(key: string, uids: readonly string[]): void;
  creationObserved(key: string): void;
  /** An object that is being deleted counts too, and each object once. */
  deletionObserved(key: string, uid: string): void;
  /** Takes back expectations: of creations that failed, for example. */
  lower(key: string, creations: number): void;
  /** Adds to what is expected of a key, if anything is. */
  raise(key: string, creations: number): void;
  satisfied(key: string): boolean;
  /** The expectations of a key that are left; undefined if it has none. */
  missing(key: string): { readonly creations: number; readonly deletions: number } | undefined;
  forget(key: string): void;
}

/** Expectations of no key. */
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
