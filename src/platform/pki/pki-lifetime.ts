import type { X509Certificate } from "node:crypto";

/**
 * A validity period of so many days, but not beyond `end`. It starts an hour ago, for clients with slow
 * clocks.
 */
export function lifetime(now: Date, days: number, end?: Date): { notBefore: Date; notAfter: Date } {
  const notAfter = new Date(now.getTime() + days * day);
  return {
    notBefore: new Date(now.getTime() - hour),
    notAfter: end !== undefined && end < notAfter ? end : notAfter,
  };
}

/** Whether a certificate expires within 30 days, or is not valid yet. */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const remaining = Date.parse(certificate.validTo) - now.getTime();
  return remaining < renewBeforeDays * day || Date.parse(certificate.validFrom) > now.getTime();
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const renewBeforeDays = 30;
