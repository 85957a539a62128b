import type { Random } from "../../../base/random.ts";

/** The validity of a certificate, in milliseconds since the epoch. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/**
 * When a certificate is to be replaced: after 70 to 90 % of its validity. Chance keeps nodes apart that
 * joined together.
 */
export const rotationTime = ({ notBefore, notAfter }: Validity, random: Random): number =>
  notBefore + (notAfter - notBefore) * (0.7 + 0.2 * random.next());
