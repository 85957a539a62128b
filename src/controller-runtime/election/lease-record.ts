import type { LeaseSpec } from "../../api/coordination/v1/lease.ts";
import { formatMicroTime, timeFromMillis } from "../../schema/values/time.ts";

/** The content of a lease: its holder, and how long it lasts after a renewal. */
export interface LeaseRecord {
  /** Empty if nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly transitions: number;
  readonly acquireTime: string;
  readonly renewTime: string;
}

/** The record in the spec of a lease. */
export const leaseRecord = (spec: Partial<LeaseSpec> | undefined): LeaseRecord => ({
  holder: spec?.holderIdentity ?? "",
  durationSeconds: spec?.leaseDurationSeconds ?? 0,
  transitions: spec?.leaseTransitions ?? 0,
  acquireTime: spec?.acquireTime ?? "",
  renewTime: spec?.renewTime ?? "",
});

/** The spec of a lease with this record. */
export const leaseSpec = (record: LeaseRecord): LeaseSpec => ({
  holderIdentity: record.holder,
  leaseDurationSeconds: record.durationSeconds,
  acquireTime: record.acquireTime,
  renewTime: record.renewTime,
  leaseTransitions: record.transitions,
});

/** Whether two records are equal. */
export const sameRecord = (a: LeaseRecord, b: LeaseRecord): boolean =>
  a.holder === b.holder &&
  a.durationSeconds === b.durationSeconds &&
  a.transitions === b.transitions &&
  a.acquireTime === b.acquireTime &&
  a.renewTime === b.renewTime;

/** A time in the format of leases. */
export const leaseTime = (millis: number): string => formatMicroTime(timeFromMillis(millis));
