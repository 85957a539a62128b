import { decodeBase64 } from "../../../base/base64.ts";
import type { VerifySignature } from "../../../base/cryptography/verify-signature.ts";
import type { At } from "../../../schema/language/report.ts";
import { quote } from "../../../schema/values/quote.ts";
import { signatureVerifier } from "../signature-verifier.ts";
import { validateSignerName } from "../signer-name.ts";
import { signers } from "../signers.ts";
import { parseCertificates } from "../x509/certificate.ts";
import { readCertificateRequest, requestSignatureFault } from "../x509/certificate-request.ts";
import { pemBlocks, textOfBytes } from "../x509/pem.ts";
import {
  type CertificateSigningRequestCondition,
  type CertificateSigningRequestSpec,
  type CertificateSigningRequestStatus,
  keyUsages,
} from "./certificate-signing-request-spec.ts";

interface Body {
  readonly spec: CertificateSigningRequestSpec;
  readonly status: CertificateSigningRequestStatus;
}

const legacySigner = signers.legacy;
const usages: readonly string[] = [...keyUsages].sort();
const minSeconds = 600;

/** The rules of a request; what was wrong with the stored one already is tolerated. */
export function validateRequest(request: Body, old: Body | undefined, at: At): void {
  validateSpec(request.spec, old?.spec, at.child("spec"));
  const here = at.child("status");
  validateConditions(request.status, old?.status, here.child("conditions"));
  const fault = certificateFault(request.status.certificate);
  if (fault !== undefined && !mayKeepCertificate(request, old))
    here.invalid("certificate", "<certificate data>", fault);
}

/** What an update through a subresource may change. */
export interface Changes {
  /** Whether conditions that approve or deny may be added. */
  readonly approval?: boolean;
  /** Whether the certificate may be set. */
  readonly certificate?: boolean;
}

/** What may change in a request, beside the metadata. */
export function validateRequestUpdate(
  { status }: Body,
  old: Body,
  { at, changes }: { readonly at: At; readonly changes: Changes },
): void {
  const here = at.child("status");
  const added = (type: string) => count(status, type) - count(old.status, type);
  for (const type of ["Approved", "Denied", "Failed"])
    if (added(type) < 0)
      here.forbidden("conditions", `updates may not remove a condition of type ${quote(type)}`);
  if (!changes.approval)
    for (const type of ["Approved", "Denied"])
      if (added(type) > 0)
        here.forbidden("conditions", `updates may not add a condition of type ${quote(type)}`);
  const { certificate = "" } = old.status;
  if ((status.certificate ?? "") === certificate) return;
  if (!changes.certificate)
    here.forbidden("certificate", "updates may not set certificate content");
  else if (certificate !== "")
    here.forbidden("certificate", "updates may not modify existing certificate content");
}

const count = ({ conditions = [] }: CertificateSigningRequestStatus, type: string): number =>
  conditions.filter((condition) => condition.type === type).length;

function validateSpec(
  spec: CertificateSigningRequestSpec,
  old: CertificateSigningRequestSpec | undefined,
  at: At,
): void {
  const fault = requestFault(spec.request, signatureVerifier(at));
  if (fault !== undefined) at.invalid("request", spec.request, fault);
  validateUsages(spec.usages ?? [], old?.usages ?? [], at.child("usages"));
  const { signerName, expirationSeconds } = spec;
  if (signerName === legacySigner && old?.signerName !== legacySigner)
    at.invalid(
      "signerName",
      signerName,
      "the legacy signerName is not allowed via this API version",
    );
  else validateSignerName(signerName, at.child("signerName"));
  if (expirationSeconds !== undefined && expirationSeconds < minSeconds)
    at.invalid(
      "expirationSeconds",
      expirationSeconds,
      "may not specify a duration less than 600 seconds (10 minutes)",
    );
}

/** Why the bytes are no request that its own key has signed. */
function requestFault(request: string | null, verify: VerifySignature): string | undefined {
  try {
    return requestSignatureFault(readCertificateRequest(decodeBase64(request ?? "")), verify);
  } catch (fault) {
    return (fault as Error).message;
  }
}

function validateUsages(given: readonly string[], old: readonly string[], at: At): void {
  if (given.length === 0) at.required();
  if (old.every((usage) => usages.includes(usage)))
    for (const [i, usage] of given.entries())
      if (!usages.includes(usage)) at.index(i).notSupported("", usage, usages);
  if (new Set(old).size === old.length)
    for (const [i, usage] of given.entries())
      if (given.indexOf(usage) < i) at.index(i).duplicate("", usage);
}

const onlyTrue = ["True"];
const anyStatus = ["False", "True", "Unknown"];
const decided = ["Approved", "Denied", "Failed"];
const exclusive = ["Approved", "Denied"];

function validateConditions(
  { conditions = [] }: CertificateSigningRequestStatus,
  old: CertificateSigningRequestStatus | undefined,
  at: At,
): void {
  const known = (old?.conditions ?? []).map(({ type }) => type);
  const allows = {
    empty: known.includes(""),
    both: exclusive.every((type) => known.includes(type)),
    duplicate: new Set(known).size < known.length,
  };
  const seen = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    const { type } = condition;
    if (!allows.empty && type === "") at.index(i).required("type");
    validateStatus(condition, at.index(i));
    const other = exclusive.find((name) => name !== type) ?? "";
    if (!allows.both && exclusive.includes(type) && seen.has(other))
      at.invalid("", type, "Approved and Denied conditions are mutually exclusive");
    if (!allows.duplicate && seen.has(type)) at.index(i).duplicate("type", type);
    seen.add(type);
  }
}

function validateStatus({ type, status }: CertificateSigningRequestCondition, at: At): void {
  const allowed = decided.includes(type) ? onlyTrue : anyStatus;
  if (status === "") at.required("status");
  else if (!allowed.includes(status)) at.notSupported("status", status, allowed);
}

/** A certificate that did not change, or takes the place of one that was wrong too, is not looked at. */
function mayKeepCertificate({ status }: Body, old: Body | undefined): boolean {
  if (!old) return false;
  const { certificate } = old.status;
  return (
    (certificate ?? "") === (status.certificate ?? "") ||
    certificateFault(certificate) !== undefined
  );
}

/** Why bytes are no certificates in PEM form; there is nothing wrong with none. */
function certificateFault(certificate = ""): string | undefined {
  if (certificate === "") return undefined;
  let blocks = 0;
  for (const { type, headers, bytes } of pemBlocks(textOfBytes(decodeBase64(certificate)))) {
    if (type !== "CERTIFICATE")
      return `only CERTIFICATE PEM blocks are allowed, found ${quote(type)}`;
    if (Object.keys(headers).length > 0) return "no PEM block headers are permitted";
    blocks++;
    try {
      if (parseCertificates(bytes).length === 0)
        return "found CERTIFICATE PEM block containing 0 certificates";
    } catch (fault) {
      return (fault as Error).message;
    }
  }
  return blocks === 0 ? "must contain at least one CERTIFICATE PEM block" : undefined;
}
