import type { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { parseCertificates } from "../../api/certificates/x509/certificate.ts";
import { pemBlocks, textOfBytes } from "../../api/certificates/x509/pem.ts";
import { decodeBase64 } from "../../base/base64.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";

const hour = 3_600_000;
/** How long requests are kept after the last step that was taken for them. */
const decidedMs = hour;
const pendingMs = 24 * hour;

/** Whether a certificate request has served its purpose, or nobody works on it any more. */
export function isAbandoned(
  { metadata, status }: Pick<CertificateSigningRequest, "metadata" | "status">,
  now: number,
): boolean {
  const { conditions = [], certificate = "" } = status;
  const isOlder = (time: string | null | undefined, ms: number): boolean =>
    !!time && now - millisOf(parseTime(time)) > ms;
  const hasOlder = (type: string, ms: number): boolean =>
    conditions.some((one) => one.type === type && isOlder(one.lastUpdateTime, ms));
  if (hasOlder("Denied", decidedMs) || hasOlder("Failed", decidedMs)) return true;
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, pendingMs);
  if (certificate === "") return hasOlder("Approved", pendingMs);
  const isApproved = conditions.some(({ type }) => type === "Approved");
  return hasOlder("Approved", decidedMs) || (isApproved && hasExpired(certificate, now));
}

/** Whether the first certificate has expired; one that cannot be parsed has not. */
function hasExpired(certificate: string, now: number): boolean {
  try {
    const [block] = pemBlocks(textOfBytes(decodeBase64(certificate)));
    const [first] = block ? parseCertificates(block.bytes) : [];
    return first !== undefined && now > first.notAfter * 1000;
  } catch {
    return false;
  }
}
