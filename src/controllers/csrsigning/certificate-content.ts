import type { CertificateSigningRequestSpec } from "../../api/certificates/v1/certificate-signing-request-spec.ts";
import type { CertificateRequest } from "../../api/certificates/x509/certificate-request.ts";
import type { CertificateContent } from "../../base/cryptography/certificate-signer.ts";
import { certificateUsages } from "./key-usages.ts";

export interface ContentOptions {
  /** The longest validity, in milliseconds; requests may ask for less. */
  readonly maxDurationMs: number;
  /** When the authority's own certificate expires. */
  readonly authorityNotAfter: number;
  readonly now: number;
}

/** The content of the certificate for a request; throws if the authority has expired. */
export function certificateContent(
  {
    usages = [],
    expirationSeconds,
  }: Pick<CertificateSigningRequestSpec, "usages" | "expirationSeconds">,
  request: Pick<CertificateRequest, "subject" | "publicKeyInfo" | "names">,
  { maxDurationMs, authorityNotAfter, now }: ContentOptions,
): CertificateContent {
  const duration = durationOf(expirationSeconds, maxDurationMs);
  // The clocks of clients may be slow. The end of a short validity is not moved back with its beginning.
  const end = duration < shortMs ? now + duration : now + duration - backdateMs;
  if (now >= authorityNotAfter)
    throw new Error(
      `refusing to sign a certificate that expired in the past: NotAfter=${new Date(authorityNotAfter).toISOString()}`,
    );
  return {
    subject: keptSubject(request.subject),
    publicKey: request.publicKeyInfo,
    names: request.names,
    ...certificateUsages(usages),
    notBefore: now - backdateMs,
    notAfter: Math.min(end, authorityNotAfter),
  };
}

const minute = 60_000;
const backdateMs = 5 * minute;
/** Five minutes are about one percent of eight hours. */
const shortMs = 8 * 60 * minute;
const leastMs = 10 * minute;

function durationOf(seconds: number | undefined, maxMs: number): number {
  const asked = seconds === undefined ? maxMs : seconds * 1000;
  if (asked >= maxMs) return maxMs;
  return Math.max(asked, leastMs);
}

type Subject = CertificateRequest["subject"];

/**
 * The subject with the attributes that Go knows, in the order in which it writes them; others, such as
 * the uid of a user, are dropped.
 */
function keptSubject(subject: Subject): Subject {
  return knownAttributes.flatMap(({ oid, isSingle }) => {
    const found = subject.filter((attribute) => attribute.oid === oid);
    return isSingle ? found.slice(-1).filter(({ value }) => value !== "") : found;
  });
}

const knownAttributes: readonly { readonly oid: string; readonly isSingle?: true }[] = [
  { oid: "2.5.4.6" }, // country
  { oid: "2.5.4.10" }, // organization
  { oid: "2.5.4.11" }, // organizational unit
  { oid: "2.5.4.7" }, // locality
  { oid: "2.5.4.8" }, // province
  { oid: "2.5.4.9" }, // street address
  { oid: "2.5.4.17" }, // postal code
  { oid: "2.5.4.3", isSingle: true }, // common name
  { oid: "2.5.4.5", isSingle: true }, // serial number
];
