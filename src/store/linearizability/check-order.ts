import type { Recorded } from "./history.ts";

/**
 * Checks that revisions follow time across all keys: an operation that begins after another has returned
 * has no smaller revision. (Concurrent operations are left to the model of each key.)
 */
export function checkOrder(operations: readonly Recorded[]): string[] {
  const problems: string[] = [];
  const moments = operations.flatMap((recorded) => [
    { at: recorded.call, ends: false, recorded },
    { at: recorded.return, ends: true, recorded },
  ]);
  // At equal times, calls come before returns: the operations may have been concurrent.
  moments.sort((a, b) => a.at - b.at || Number(a.ends) - Number(b.ends));
  const known = new Map<Recorded, number>();
  let newest = 0;
  for (const { ends, recorded } of moments) {
    if (!ends) {
      known.set(recorded, newest);
      continue;
    }
    const { reached, gave } = revisions(recorded);
    const least = (known.get(recorded) ?? 0) + (gave ? 1 : 0);
    if (reached !== undefined && reached < least) {
      const { type } = recorded.operation;
      problems.push(
        `a ${type} began after revision ${least - (gave ? 1 : 0)} was known, and was told ${reached}`,
      );
    }
    if (recorded.return !== Number.POSITIVE_INFINITY) newest = Math.max(newest, seen(recorded));
  }
  return problems;
}

/** The revision of an operation, if known, and whether it created that revision. */
function revisions({ operation }: Recorded): { reached: number | undefined; gave: boolean } {
  if (operation.type === "list") return { reached: operation.revision, gave: false };
  if (operation.type === "write" && operation.outcome.type === "done")
    return { reached: operation.outcome.revision, gave: true };
  return { reached: undefined, gave: false };
}

/** The greatest revision that its client learns from it. */
function seen({ operation }: Recorded): number {
  if (operation.type === "read") return operation.found?.revision ?? 0;
  if (operation.type === "list") return operation.revision;
  const { outcome } = operation;
  if (outcome.type === "done") return outcome.revision ?? 0;
  if (outcome.type === "unknown" || typeof outcome.current !== "object") return 0;
  return outcome.current.revision;
}
