import type { X509Certificate } from "node:crypto";
import { nodesGroup, nodeUserPrefix } from "../../../api/certificates/kubelet-request.ts";
import { parseCertificate } from "../../../api/certificates/x509/certificate.ts";
import type { NodeAddress } from "../../../api/core/v1/node/node-status.ts";
import { ipBytes } from "../../../platform/pki/x509-ip.ts";
import { certificateParts, type Subject } from "../../../platform/pki/x509-parts.ts";
import { formatIp, parseIpSloppy } from "../../../schema/values/ip.ts";

/** The content of a certificate that a kubelet needs. */
export interface CertificateTemplate {
  readonly subject: Subject;
  readonly dnsNames: readonly string[];
  /** Addresses in canonical form. */
  readonly ips: readonly string[];
}

/** The certificate by which a node calls the API server. */
export const clientTemplate = (nodeName: string): CertificateTemplate => ({
  subject: nodeSubject(nodeName),
  dnsNames: [],
  ips: [],
});

/** The certificate by which a node serves its kubelet's API; undefined while it has no IP address. */
export function servingTemplate(
  nodeName: string,
  addresses: readonly NodeAddress[],
): CertificateTemplate | undefined {
  const dnsNames = new Set<string>();
  const ips = new Set<string>();
  for (const { type, address } of addresses) {
    const ip = parseIpSloppy(address);
    if (ip && !type.endsWith("DNS")) ips.add(formatIp(ip));
    else if (address !== "" && !type.endsWith("IP")) dnsNames.add(address);
  }
  if (ips.size === 0) return undefined;
  return { subject: nodeSubject(nodeName), dnsNames: [...dnsNames].sort(), ips: [...ips].sort() };
}

/** Whether a certificate has all that is needed; it may have more names. */
export function fulfilsTemplate(
  certificate: X509Certificate,
  { subject, dnsNames, ips }: CertificateTemplate,
): boolean {
  const has = certificateParts(certificate.raw).subject;
  const { names } = parseCertificate(certificate.raw);
  const addresses = new Set(names.ipAddresses.map((bytes) => bytes.join(".")));
  return (
    has.commonName === subject.commonName &&
    subject.organizations.every((name) => has.organizations.includes(name)) &&
    dnsNames.every((name) => names.dnsNames.includes(name)) &&
    ips.every((ip) => addresses.has(ipBytes(ip).join(".")))
  );
}

const nodeSubject = (nodeName: string): Subject => ({
  commonName: `${nodeUserPrefix}${nodeName}`,
  organizations: [nodesGroup],
});
