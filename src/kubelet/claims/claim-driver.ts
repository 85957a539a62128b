import type { ClaimIdentity, PreparedDevice } from "./node-claim.ts";

/** A driver of claims, which is registered on the node. It does nothing for what it has done before. */
export interface ClaimDriver {
  readonly name: string;
  /** Makes devices ready for claims; the results are by the UIDs of the claims. */
  prepare(claims: readonly ClaimIdentity[]): Promise<ReadonlyMap<string, PrepareResult>>;
  /** Takes devices back from claims. */
  unprepare(claims: readonly ClaimIdentity[]): Promise<ReadonlyMap<string, UnprepareResult>>;
}

export interface UnprepareResult {
  /** Why it failed; empty if it did not. */
  readonly error: string;
}

export interface PrepareResult extends UnprepareResult {
  readonly devices: readonly PreparedDevice[];
}

/** Why what a driver responded does not do for claims; undefined if it does. */
export function responseProblem(
  method: "NodePrepareResources" | "NodeUnprepareResources",
  claims: readonly ClaimIdentity[],
  results: ReadonlyMap<string, UnprepareResult>,
): string | undefined {
  for (const [uid, { error }] of results) {
    const claim = claims.find((one) => one.uid === uid);
    if (!claim) return `${method} returned result for unknown claim UID ${uid}`;
    if (error !== "") return `${method} failed for ResourceClaim ${claim.name}: ${error}`;
  }
  const missing = claims.length - results.size;
  return missing === 0 ? undefined : `${method} skipped ${missing} ResourceClaims`;
}
