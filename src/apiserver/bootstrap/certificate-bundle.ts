import { pemBlocks } from "../../api/certificates/x509/pem.ts";
import { readTime } from "../../api/certificates/x509/time.ts";
import { encodeBase64 } from "../../base/base64.ts";
import { DerReader } from "../../base/der-reader.ts";

/** How long after its expiry a certificate is still published, in milliseconds. */
const slack = 5 * 60_000;

/**
 * All certificates of some bundles in PEM form, each once, without those that have expired. Throws if a
 * bundle has none, or one that cannot be parsed.
 */
export function combinedBundle(bundles: readonly string[], now: number): string {
  const seen = new Set<string>();
  for (const der of bundles.flatMap(certificatesOf))
    if (notAfterOf(der) > now - slack) seen.add(encodeBase64(der));
  return [...seen].map(pemOf).join("");
}

/** A bundle without the certificates of others, but for those of `kept`. Throws like `combinedBundle`. */
export function bundleWithout(bundle: string, others: readonly string[], kept: string): string {
  const dropped = new Set(others.flatMap(certificatesOf).map(encodeBase64));
  if (kept !== "") for (const der of certificatesOf(kept)) dropped.delete(encodeBase64(der));
  if (dropped.size === 0) return bundle;
  const left = certificatesOf(bundle).map(encodeBase64);
  return left
    .filter((one) => !dropped.has(one))
    .map(pemOf)
    .join("");
}

function certificatesOf(bundle: string): Uint8Array[] {
  const certificates = [...pemBlocks(bundle)]
    .filter(({ type, headers }) => type === "CERTIFICATE" && Object.keys(headers).length === 0)
    .map(({ bytes }) => bytes);
  if (certificates.length === 0)
    throw new Error("data does not contain any valid RSA or ECDSA certificates");
  return certificates;
}

/**
 * The expiry of a certificate, in milliseconds since the epoch. Nothing else is parsed: keys are slow
 * to parse, and this runs when a server starts.
 */
function notAfterOf(der: Uint8Array): number {
  const certificate = DerReader.inside(new DerReader(der).sequence("certificate"));
  const body = DerReader.inside(certificate.sequence("tbs certificate"));
  body.optional(0);
  body.integer("serial number");
  body.sequence("signature algorithm identifier");
  body.sequence("issuer");
  const validity = DerReader.inside(body.sequence("validity"));
  readTime(validity);
  return readTime(validity) * 1000;
}

const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
