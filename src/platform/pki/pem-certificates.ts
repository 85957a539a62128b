import { X509Certificate } from "node:crypto";

/** The certificates of a PEM text in their order; other blocks are skipped. Throws if one cannot be read. */
export const certificatesIn = (pem: string): X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    (block) => new X509Certificate(block),
  );

/** Certificates as one PEM text. */
export const pemOf = (certificates: readonly X509Certificate[]): string =>
  certificates.map((certificate) => certificate.toString().replace(/\n*$/, "\n")).join("");
