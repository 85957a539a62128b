import { type Certificate, parseCertificate } from "../../api/certificates/x509/certificate.ts";
import { pemBlocks } from "../../api/certificates/x509/pem.ts";
import { encodeBase64 } from "../../schema/base64.ts";

/** How long after its end a certificate is still passed on, in milliseconds. */
const slack = 5 * 60_000;

/**
 * All certificates of some bundles in PEM form, each once, but those that have expired. Throws where a
 * bundle holds none, or one that cannot be read.
 */
export function combinedBundle(bundles: readonly string[], now: number): string {
  const seen = new Set<string>();
  for (const { raw, notAfter } of bundles.flatMap(certificatesOf))
    if (notAfter * 1000 > now - slack) seen.add(encodeBase64(raw));
  return [...seen].map(pemOf).join("");
}

function certificatesOf(bundle: string): Certificate[] {
  const certificates = [...pemBlocks(bundle)]
    .filter(({ type, headers }) => type === "CERTIFICATE" && Object.keys(headers).length === 0)
    .map(({ bytes }) => parseCertificate(bytes));
  if (certificates.length === 0)
    throw new Error("data does not contain any valid RSA or ECDSA certificates");
  return certificates;
}

const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{1,64}/g, "$&\n")}-----END CERTIFICATE-----\n`;
