import type { X509Certificate } from "node:crypto";

/** From an hour ago, for clients whose clocks are slow, for the given number of days, but not beyond `end`. */
export function lifetime(now: Date, days: number, end?: Date): { notBefore: Date; notAfter: Date } {
  const notAfter = new Date(now.getTime() + days * day);
  return {
    notBefore: new Date(now.getTime() - hour),
    notAfter: end !== undefined && end < notAfter ? end : notAfter,
  };
}

/** Whether a certificate ends within 30 days, or has not begun. */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const remaining = Date.parse(certificate.validTo) - now.getTime();
  return remaining < renewBeforeDays * day || Date.parse(certificate.validFrom) > now.getTime();
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const renewBeforeDays = 30;
