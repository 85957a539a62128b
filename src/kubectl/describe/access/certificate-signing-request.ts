import type { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import {
  type CertificateRequest,
  readCertificateRequest,
} from "../../../api/certificates/x509/certificate-request.ts";
import { formatIp } from "../../../schema/values/ip.ts";
import { humanDuration } from "../../../schema/values/time.ts";
import { goPrintf } from "../../print/template/go-printf.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { eventLines } from "../events.ts";
import { objectDescriber } from "../object-describer.ts";
import { labelsText } from "../selector-text.ts";
import { timeText } from "../time-text.ts";

export const describeCertificateSigningRequest = objectDescriber(
  describedKinds.certificateSigningRequest,
  async (d, signing, context) => {
    const { metadata, spec } = signing;
    const events = await context.events(signing);
    const request = parsedRequest(spec.request ?? "");
    d.field("Name", metadata.name ?? "");
    d.field("Labels", labelsText(metadata.labels));
    d.field("Annotations", labelsText(metadata.annotations));
    d.field("CreationTimestamp", timeText(metadata.creationTimestamp));
    d.field("Requesting User", spec.username ?? "");
    d.optionalField("Signer", spec.signerName || undefined);
    if (spec.expirationSeconds !== undefined)
      d.field("Requested Duration", humanDuration(spec.expirationSeconds * 1000));
    d.field("Status", stateText(signing));
    subjectLines(d, request);
    alternativeNameLines(d, request);
    eventLines(d, events, context.clock);
  },
);

function parsedRequest(base64: string): CertificateRequest {
  try {
    return readCertificateRequest(Buffer.from(base64, "base64"));
  } catch (error) {
    throw new Error(`Error parsing CSR: ${(error as Error).message}`, { cause: error });
  }
}

function stateText({ status }: CertificateSigningRequest): string {
  const has = (wanted: string): boolean =>
    (status.conditions ?? []).some(({ type }) => type === wanted);
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status.certificate ? ",Issued" : ""}`;
}

const listedAttributes = [
  ["Organization", "2.5.4.10"],
  ["Organizational Unit", "2.5.4.11"],
  ["Country", "2.5.4.6"],
  ["Locality", "2.5.4.7"],
  ["Province", "2.5.4.8"],
  ["StreetAddress", "2.5.4.9"],
  ["PostalCode", "2.5.4.17"],
] as const;

function subjectLines(d: Description, { subject }: CertificateRequest): void {
  const valuesOf = (oid: string): readonly string[] =>
    subject.filter((attribute) => attribute.oid === oid).map(({ value }) => value);
  d.line("Subject:");
  d.row(["", "Common Name:", valuesOf("2.5.4.3").at(-1) ?? ""]);
  d.row(["", "Serial Number:", valuesOf("2.5.4.5").at(-1) ?? ""]);
  for (const [title, oid] of listedAttributes) listLine(d, title, valuesOf(oid));
}

function alternativeNameLines(d: Description, { names }: CertificateRequest): void {
  const addresses = names.ipAddresses.map(addressText);
  const { dnsNames, emailAddresses, uris } = names;
  if (dnsNames.length + emailAddresses.length + uris.length + addresses.length === 0) return;
  d.line("Subject Alternative Names:");
  listLine(d, "DNS Names", dnsNames);
  listLine(d, "Email Addresses", emailAddresses);
  listLine(d, "URIs", uris);
  listLine(d, "IP Addresses", addresses);
}

/** Values below each other, beside an empty cell; the original takes them for a format. */
function listLine(d: Description, title: string, values: readonly string[]): void {
  if (values.length > 0) d.line(`\t${title}:\t${goPrintf(values.join("\n\t\t"), [])}`);
}

function addressText(bytes: Uint8Array): string {
  const bits = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return formatIp({ version: bytes.length === 4 ? 4 : 6, bits });
}
