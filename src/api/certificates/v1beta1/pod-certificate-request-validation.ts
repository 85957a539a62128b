import { decodeBase64 } from "../../../base/base64.ts";
import type {
  SignedMessage,
  VerifySignature,
} from "../../../base/cryptography/verify-signature.ts";
import { DerReader } from "../../../base/der-reader.ts";
import { type At, omitted } from "../../../schema/language/report.ts";
import { isDomainPrefixedKey, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { signatureVerifier } from "../signature-verifier.ts";
import { isKubernetesSignerName, validateSignerName } from "../signer-name.ts";
import { parseCertificateRequest, requestSignatureFault } from "../x509/certificate-request.ts";
import {
  modulusBits,
  type PublicKey,
  parsePublicKey,
  readPublicKeyInfo,
} from "../x509/public-key.ts";
import type { PodCertificateRequestSpec } from "./pod-certificate-request-spec.ts";

const minSeconds = 60 * 60;
const maxSeconds = 91 * 24 * 60 * 60;
const kubernetesMaxSeconds = 24 * 60 * 60;
const maxKeySize = 10 * 1024;
const maxUid = 128;
const maxAnnotations = 256 * 1024;
const encoder = new TextEncoder();

/** The rules of a request for a certificate of a pod. */
export function validatePodCertificateRequestSpec(spec: PodCertificateRequestSpec, at: At): void {
  validateSignerName(spec.signerName, at.child("signerName"));
  validateUserAnnotations(
    spec.unverifiedUserAnnotations ?? {},
    at.child("unverifiedUserAnnotations"),
  );
  for (const [name, uid] of places) {
    at.invalidEach(name, spec[name], nameIsDnsSubdomain(spec[name]));
    if (spec[uid] === "") at.invalid(uid, "", "must not be empty");
    if (encoder.encode(spec[uid]).length > maxUid) at.tooLong(uid, maxUid);
  }
  const { maxExpirationSeconds: seconds } = spec;
  if (seconds === undefined) {
    at.required("maxExpirationSeconds", "must be set");
    return;
  }
  const max = isKubernetesSignerName(spec.signerName) ? kubernetesMaxSeconds : maxSeconds;
  if (seconds < minSeconds || seconds > max)
    at.invalid("maxExpirationSeconds", seconds, `must be in the range [${minSeconds}, ${max}]`);
  if (spec.stubPKCS10Request && !spec.pkixPublicKey && !spec.proofOfPossession)
    validateStub(decodeBase64(spec.stubPKCS10Request), at.child("stubPKCS10Request"));
  else if (!spec.stubPKCS10Request && spec.pkixPublicKey && spec.proofOfPossession)
    validateKey(spec, at);
  else
    at.invalid(
      "",
      omitted,
      "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set",
    );
}

const places = [
  ["podName", "podUID"],
  ["serviceAccountName", "serviceAccountUID"],
  ["nodeName", "nodeUID"],
] as const;

/** The key that a request is made with; throws where it is broken. */
export function requestedKey(spec: PodCertificateRequestSpec): PublicKey | undefined {
  if (spec.stubPKCS10Request)
    return parseCertificateRequest(decodeBase64(spec.stubPKCS10Request)).publicKey;
  return parseKey(decodeBase64(spec.pkixPublicKey));
}

function validateUserAnnotations(annotations: Readonly<Record<string, string>>, at: At): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // The case does not matter.
    for (const { type, value: shown, detail } of isDomainPrefixedKey(key.toLowerCase()))
      if (type === "Required") at.required("", detail);
      else at.invalid("", shown, detail);
    size += encoder.encode(key).length + encoder.encode(value).length;
  }
  if (size > maxAnnotations) at.tooLong("", maxAnnotations);
}

function validateStub(bytes: Uint8Array, at: At): void {
  if (bytes.length > maxKeySize) {
    at.tooLong("", maxKeySize);
    return;
  }
  const verify = signatureVerifier(at);
  try {
    const request = parseCertificateRequest(bytes);
    const curves = "elliptic public keys must use curve P256, P384, or P521";
    if (!validateKind(request.publicKey, at, { curves, unknown: omitted })) return;
    if (requestSignatureFault(request, verify) !== undefined)
      at.invalid("", omitted, "invalid signature");
  } catch {
    at.invalid("", omitted, "must be a valid PKCS#10 CSR");
  }
}

function validateKey(spec: PodCertificateRequestSpec, at: At): void {
  const bytes = decodeBase64(spec.pkixPublicKey);
  const proof = decodeBase64(spec.proofOfPossession);
  if (bytes.length > maxKeySize) {
    at.tooLong("pkixPublicKey", maxKeySize);
    return;
  }
  if (proof.length > maxKeySize) {
    at.tooLong("proofOfPossession", maxKeySize);
    return;
  }
  let key: PublicKey | undefined;
  try {
    key = parseKey(bytes);
  } catch {
    at.invalid("pkixPublicKey", spec.pkixPublicKey, "must be a valid PKIX-serialized public key");
    return;
  }
  const curves = "elliptic public keys must use curve P256 or P384";
  const here = at.child("pkixPublicKey");
  if (!validateKind(key, here, { curves, unknown: spec.pkixPublicKey })) return;
  const signed = { message: encoder.encode(spec.podUID), signature: proof };
  if (!isProof(key, signed, signatureVerifier(at)))
    at.invalid("proofOfPossession", omitted, "could not verify proof-of-possession signature");
}

/** Reads a key in DER; one of an algorithm that is not known is broken too. */
function parseKey(bytes: Uint8Array): PublicKey {
  const reader = new DerReader(bytes);
  const key = parsePublicKey(readPublicKeyInfo(reader.sequence("publicKeyInfo")));
  if (!key) throw new Error("x509: unknown public key algorithm");
  if (!reader.isAtEnd) throw new Error("x509: trailing data after ASN.1 of public-key");
  return key;
}

/** Whether a key is of a kind and size that signers take. */
function validateKind(
  key: PublicKey | undefined,
  at: At,
  { curves, unknown }: { readonly curves: string; readonly unknown: unknown },
): boolean {
  const before = at.errors.length;
  if (key?.algorithm === "ECDSA") {
    if (key.curve === "P-224") at.invalid("", `curve ${key.curve}`, curves);
  } else if (key?.algorithm === "RSA") {
    const bits = modulusBits(key.modulus);
    if (bits !== 3072 && bits !== 4096)
      at.invalid("", `${bits}-bit modulus`, "RSA keys must have modulus size 3072 or 4096");
  } else if (key?.algorithm !== "Ed25519")
    at.invalid("", unknown, "unknown public key type; supported types are Ed25519, ECDSA, and RSA");
  return at.errors.length === before;
}

function isProof(
  key: PublicKey,
  signed: Pick<SignedMessage, "message" | "signature">,
  verify: VerifySignature,
): boolean {
  switch (key.algorithm) {
    case "Ed25519":
      return verify(key, signed);
    case "ECDSA":
      return verify(key, { ...signed, hash: "SHA-256" });
    case "RSA":
      return verify(key, { ...signed, hash: "SHA-256", pssSalt: "any-length" });
    default:
      return false;
  }
}
