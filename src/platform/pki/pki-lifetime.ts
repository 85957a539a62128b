import type { X509Certificate } from "node:crypto";

/**
 * A validity period of so many milliseconds, but not beyond `end`. It starts an hour ago, for clients with slow
 * clocks.
 */
export function lifetime(now: Date, ms: number, end?: Date): { notBefore: Date; notAfter: Date } {
  const notAfter = new Date(now.getTime() + ms);
  return {
    notBefore: new Date(now.getTime() - hour),
    notAfter: end !== undefined && end < notAfter ? end : notAfter,
  };
}

/** Whether a certificate is to be renewed, or is not valid yet. */
export const isDue = (certificate: X509Certificate, now: Date): boolean =>
  now.getTime() > dueAt(certificate) || Date.parse(certificate.validFrom) > now.getTime();

/**
 * The milliseconds since the epoch at which a certificate is to be renewed: 30 days before its end, or when a third of
 * its life is left.
 */
export function dueAt({ validFrom, validTo }: X509Certificate): number {
  const end = Date.parse(validTo);
  const life = Math.max(0, end - Date.parse(validFrom) - hour);
  return end - Math.min(30 * day, life / 3);
}

const hour = 60 * 60 * 1000;
export const day = 24 * hour;
