import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { finishedAt } from "./finished-at.ts";

/** The failures of a job's pods since one last succeeded. */
export interface FailureRecord {
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly lastFailure?: number | undefined;
}

export const noFailures: FailureRecord = { failures: 0 };

/** The record after more pods have ended: a success forgets the failures before it. */
export function nextRecord(
  record: FailureRecord,
  { succeeded, failed }: { readonly succeeded: readonly Pod[]; readonly failed: readonly Pod[] },
): FailureRecord {
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(finishedAt));
  const later = failed.map(finishedAt).filter((time) => time > lastSuccess);
  const before = succeeded.length > 0 ? noFailures : record;
  if (later.length === 0) return before;
  return { failures: before.failures + later.length, lastFailure: Math.max(...later) };
}

/** In how many milliseconds the next pod may be created: 10 s after a failure, doubled with each, up to 10 min. */
export function remainingBackoff({ failures, lastFailure }: FailureRecord, now: number): number {
  if (failures === 0 || lastFailure === undefined) return 0;
  const backoff = Math.min(shortest * 2 ** Math.min(failures - 1, 10), longest);
  return Math.max(0, lastFailure + backoff - now);
}

const shortest = 10_000;
const longest = 600_000;
