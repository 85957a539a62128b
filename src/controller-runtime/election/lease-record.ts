import type { LeaseSpec } from "../../api/coordination/v1/lease.ts";
import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";

/** What a lease says: who holds it, and how long others leave it to them after the last renewal. */
export interface LeaseRecord {
  /** Empty: nobody. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** What a lease says by its spec. */
export const leaseRecord = (spec: Partial<LeaseSpec> | undefined): LeaseRecord => ({
  holder: spec?.holderIdentity ?? "",
  durationSeconds: spec?.leaseDurationSeconds ?? 0,
  transitions: spec?.leaseTransitions ?? 0,
  acquireTime: spec?.acquireTime ?? "",
  renewTime: spec?.renewTime ?? "",
});

/** The spec of a lease that says this. */
export const leaseSpec = (record: LeaseRecord): LeaseSpec => ({
  holderIdentity: record.holder,
  leaseDurationSeconds: record.durationSeconds,
  acquireTime: record.acquireTime,
  renewTime: record.renewTime,
  leaseTransitions: record.transitions,
});

/** Whether two records say the same. */
export const sameRecord = (a: LeaseRecord, b: LeaseRecord): boolean =>
  a.holder === b.holder &&
  a.durationSeconds === b.durationSeconds &&
  a.transitions === b.transitions &&
  a.acquireTime === b.acquireTime &&
  a.renewTime === b.renewTime;

/** A time as leases have it. */
export const leaseTime = (millis: number): string => formatMicroTime(timeFromMillis(millis));
