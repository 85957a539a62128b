import { Lease } from "../../../api/coordination/v1/lease.ts";
import { LeaseCandidate } from "../../../api/coordination/v1beta1/lease-candidate.ts";
import { formatMicroTime, timeFromMillis } from "../../../schema/values/time.ts";
import type { ObjectKey } from "../../objects/reader.ts";
import type { OwnParts } from "../../verbs/writer.ts";
import type { Reconciler } from "../reconcile-loop.ts";
import {
  checkMs,
  type ElectionStep,
  electionStep,
  expiresInMs,
  isCandidateExpired,
  leaseAfter,
} from "./election-step.ts";

/**
 * Chooses the holders of leases that have candidates, and deletes candidates that are gone. Servers on one store all
 * do: they decide the same, and a write that comes second is a conflict.
 */
export function leaseCandidateReconciler({ reader, writer, environment }: OwnParts): Reconciler[] {
  const { clock, features } = environment;
  if (!features?.has("CoordinatedLeaderElection") || !reader.serves(LeaseCandidate)) return [];
  const timeOf = (now: number): string => formatMicroTime(timeFromMillis(now));

  async function ask(candidate: LeaseCandidate, now: number): Promise<void> {
    await writer.update(LeaseCandidate, keyOf(candidate), (existing) => ({
      ...existing,
      spec: { ...existing.spec, pingTime: timeOf(now) },
    }));
  }

  async function elect(
    key: ObjectKey,
    step: Extract<ElectionStep, { readonly type: "elect" }>,
    now: number,
  ): Promise<void> {
    const at = { now, time: timeOf(now) };
    if (!reader.getCached(Lease, key)) {
      await writer.ensure(Lease, { metadata: key, spec: leaseAfter(undefined, step, at) });
      return;
    }
    await writer.update(Lease, key, (existing) => ({
      ...existing,
      spec: leaseAfter(existing.spec, step, at),
    }));
  }

  async function elections(candidates: readonly LeaseCandidate[], now: number): Promise<void> {
    const faults: unknown[] = [];
    for (const [name, contenders] of byLease(candidates)) {
      const slash = name.indexOf("/");
      const key = { namespace: name.slice(0, slash), name: name.slice(slash + 1) };
      try {
        const step = electionStep(contenders, reader.getCached(Lease, key), now);
        if (step.type === "ask") for (const one of step.candidates) await ask(one, now);
        if (step.type === "elect") await elect(key, step, now);
      } catch (error) {
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
  }

  return [
    {
      task: "holders of leases with candidates",
      queue: "leader-election-controller",
      kinds: [LeaseCandidate, Lease],
      async reconcile(requeueAfter) {
        const now = clock.now();
        const all = reader.listReadable(LeaseCandidate);
        if (all.length === 0) return;
        const expired = all.filter((candidate) => isCandidateExpired(candidate, now));
        for (const candidate of expired)
          await writer.delete(LeaseCandidate, keyOf(candidate), candidate.metadata);
        const valid = all.filter((candidate) => !expired.includes(candidate));
        if (valid.length === 0) return;
        requeueAfter(Math.min(checkMs, ...valid.map((candidate) => expiresInMs(candidate, now))));
        await elections(valid, now);
      },
    },
  ];
}

function byLease(
  candidates: readonly LeaseCandidate[],
): ReadonlyMap<string, readonly LeaseCandidate[]> {
  const leases = new Map<string, LeaseCandidate[]>();
  for (const candidate of candidates) {
    const key = `${candidate.metadata.namespace}/${candidate.spec.leaseName}`;
    leases.set(key, [...(leases.get(key) ?? []), candidate]);
  }
  return leases;
}

const keyOf = ({ metadata: { namespace = "", name = "" } }: LeaseCandidate): ObjectKey => ({
  namespace,
  name,
});
