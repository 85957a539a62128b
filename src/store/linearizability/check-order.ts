import type { Recorded } from "./history.ts";

/**
 * Whether revisions, over all keys, follow time: what begins after something has been answered is not
 * before it. (What begins and ends beside each other is left to the model of each key.)
 */
export function checkOrder(operations: readonly Recorded[]): string[] {
  const problems: string[] = [];
  const moments = operations.flatMap((recorded) => [
    { at: recorded.call, ends: false, recorded },
    { at: recorded.return, ends: true, recorded },
  ]);
  // Of two at the same time, what begins is first: it may have been beside the other.
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

/** The revision at which it happened, if it was told; and whether it made that revision. */
function revisions({ operation }: Recorded): { reached: number | undefined; gave: boolean } {
  if (operation.type === "list") return { reached: operation.revision, gave: false };
  if (operation.type === "write" && operation.outcome.type === "done")
    return { reached: operation.outcome.revision, gave: true };
  return { reached: undefined, gave: false };
}

/** The greatest revision that its client knows by it. */
function seen({ operation }: Recorded): number {
  if (operation.type === "read") return operation.found?.revision ?? 0;
  if (operation.type === "list") return operation.revision;
  const { outcome } = operation;
  if (outcome.type === "done") return outcome.revision ?? 0;
  if (outcome.type === "unknown" || typeof outcome.current !== "object") return 0;
  return outcome.current.revision;
}
