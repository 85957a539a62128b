import type { Lease, LeaseSpec } from "../../../api/coordination/v1/lease.ts";
import type { LeaseCandidate } from "../../../api/coordination/v1beta1/lease-candidate.ts";
import { chosenStrategy, oldestCandidate, oldestEmulationVersion } from "./preferred-candidate.ts";

/** How long a candidate may take to say that it is still there. */
const answerMs = 5000;
/** When a lease with candidates is looked at again. */
export const checkMs = 5000;
const minute = 60_000;
/** After this time without a renewal, a candidate is deleted; after half of it, all are asked again. */
const validMs = 30 * minute;
const leaseSeconds = 5;

/** The next step of choosing the holder of a lease. */
export type ElectionStep =
  /** Nothing is to be done, or candidates have yet to answer. */
  | { readonly type: "wait" }
  /** These candidates are asked whether they are still there. */
  | { readonly type: "ask"; readonly candidates: readonly LeaseCandidate[] }
  /** The lease gets a holder; without one, somebody else chooses it. */
  | { readonly type: "elect"; readonly strategy: string; readonly holder: string | undefined };

/** Decides the next step for a lease with these candidates; throws if they contradict each other. */
export function electionStep(
  candidates: readonly LeaseCandidate[],
  lease: Lease | undefined,
  now: number,
): ElectionStep {
  if (candidates.length === 0 || !isElectionNeeded(candidates, lease, now)) return { type: "wait" };
  const asked = candidates.filter((candidate) => mustBeAsked(candidate, now));
  if (asked.length > 0) return { type: "ask", candidates: asked };
  if (candidates.some((candidate) => isAnswerPending(candidate, now))) return { type: "wait" };
  const present = candidates.filter((candidate) => hasAnswered(candidate, now));
  if (present.length === 0) return { type: "wait" };
  const strategy = chosenStrategy(present);
  if (strategy !== oldestEmulationVersion) return { type: "elect", strategy, holder: undefined };
  const holder = oldestCandidate(present)?.metadata.name;
  return holder === undefined ? { type: "wait" } : { type: "elect", strategy, holder };
}

function isElectionNeeded(
  candidates: readonly LeaseCandidate[],
  lease: Lease | undefined,
  now: number,
): boolean {
  if (!lease || isExpired(lease.spec, now) || !lease.spec.holderIdentity) return true;
  if (candidates.some((candidate) => renewedAt(candidate) + validMs / 2 < now)) return true;
  if (chosenStrategy(candidates) !== oldestEmulationVersion) return false;
  const best = oldestCandidate(candidates);
  return best !== undefined && best.metadata.name !== lease.spec.holderIdentity;
}

/** The lease after an election: a holder that is still there is only told whom to hand it over to. */
export function leaseAfter(
  spec: LeaseSpec | undefined,
  { strategy, holder }: Extract<ElectionStep, { readonly type: "elect" }>,
  { now, time }: { readonly now: number; readonly time: string },
): LeaseSpec {
  const fresh = { leaseDurationSeconds: leaseSeconds, renewTime: time };
  if (!spec) return { strategy, ...fresh, ...(holder !== undefined && { holderIdentity: holder }) };
  if (holder === undefined || holder === spec.holderIdentity) return { ...spec, strategy };
  if (spec.holderIdentity && !isExpired(spec, now))
    return { ...spec, strategy, preferredHolder: holder };
  const { preferredHolder: _, acquireTime: _a, ...rest } = spec;
  return { ...rest, strategy, ...fresh, holderIdentity: holder };
}

/** Whether a candidate is to be deleted: it has not renewed for half an hour. */
export const isCandidateExpired = (candidate: LeaseCandidate, now: number): boolean =>
  !(renewedAt(candidate) + validMs >= now);

/** In how many milliseconds a candidate expires if it does not renew. */
export const expiresInMs = (candidate: LeaseCandidate, now: number): number =>
  renewedAt(candidate) + validMs - now + 1;

const isExpired = ({ renewTime, leaseDurationSeconds }: LeaseSpec, now: number): boolean =>
  renewTime === undefined ||
  leaseDurationSeconds === undefined ||
  Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;

const renewedAt = ({ spec }: LeaseCandidate): number => Date.parse(spec.renewTime ?? "");
/** Not a number for one that was never asked. */
const askedAt = ({ spec }: LeaseCandidate): number => Date.parse(spec.pingTime ?? "");

const hasAnswered = (candidate: LeaseCandidate, now: number): boolean =>
  renewedAt(candidate) + answerMs > now;

/** One that was asked lately may still answer. */
const isAnswerPending = (candidate: LeaseCandidate, now: number): boolean =>
  askedAt(candidate) + answerMs > now && renewedAt(candidate) < askedAt(candidate);

/** One that has not answered the last time is not asked again. */
function mustBeAsked(candidate: LeaseCandidate, now: number): boolean {
  if (hasAnswered(candidate, now) || isAnswerPending(candidate, now)) return false;
  const asked = askedAt(candidate);
  return Number.isNaN(asked) || (asked + answerMs < now && renewedAt(candidate) >= asked);
}
