import type { At } from "../../schema/language/report.ts";
import { type Certificate, parseCertificate } from "./x509/certificate.ts";
import { type PemBlock, pemBlocks } from "./x509/pem.ts";

const maxSize = 1024 * 1024;
const omittedValue = "<value omitted>";

/** A bundle holds certificates of authorities, at least one, and none twice. */
export function validateTrustBundle(bundle: string, at: At): void {
  if (new TextEncoder().encode(bundle).length > maxSize) {
    at.tooLong("", maxSize);
    return;
  }
  const before = at.errors.length;
  const anchors = new Map<string, number[]>();
  let i = 0;
  for (const block of pemBlocks(bundle)) {
    const fault = anchorFault(block);
    if (fault) at.invalid("", omittedValue, `entry ${i} ${fault}`);
    const key = block.bytes.join();
    anchors.set(key, [...(anchors.get(key) ?? []), i]);
    i++;
  }
  if (at.errors.length > before) return;
  if (anchors.size === 0)
    at.invalid("", omittedValue, "at least one trust anchor must be provided");
  for (const indices of anchors.values())
    if (indices.length > 1)
      at.invalid("", omittedValue, `duplicate trust anchor (indices [${indices.join(" ")}])`);
}

function anchorFault({ type, headers, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (Object.keys(headers).length > 0) return "has PEM block headers";
  let certificate: Certificate;
  try {
    certificate = parseCertificate(bytes);
  } catch {
    return "does not parse as X.509";
  }
  return certificate.isCa ? undefined : "does not have the CA bit set";
}
