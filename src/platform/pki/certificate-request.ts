import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { bitString, contextTag, integer, oid, sequence, set } from "./der.ts";
import {
  type AlternativeNames,
  encodeName,
  extension,
  pem,
  signatureAlgorithm,
  subjectAltNameOid,
  subjectAltNames,
} from "./x509.ts";
import type { Subject } from "./x509-parts.ts";

/** The content of a certificate request. */
export interface RequestedCertificate extends AlternativeNames {
  readonly subject: Subject;
  /** The private key of the certificate, which signs the request. */
  readonly key: KeyObject;
}

/** A certificate request (PKCS #10) as PEM. */
export function certificateRequest({ subject, key, ...names }: RequestedCertificate): string {
  const { hash, identifier } = signatureAlgorithm(key);
  const signed = sequence(
    integer(0),
    encodeName(subject),
    createPublicKey(key).export({ type: "spki", format: "der" }),
    contextTag(0, requestedExtensions(names), true),
  );
  const signature = sign(hash, signed, key);
  return pem("CERTIFICATE REQUEST", sequence(signed, identifier, bitString(signature)));
}

/** The attribute with the names and addresses of the certificate; empty without any. */
function requestedExtensions(names: AlternativeNames): Uint8Array {
  const value = subjectAltNames(names);
  if (value === undefined) return new Uint8Array();
  return sequence(oid(extensionRequest), set(sequence(extension(subjectAltNameOid, value, false))));
}

const extensionRequest = "1.2.840.113549.1.9.14";
