import { createHash, type KeyObject, randomBytes, sign, type X509Certificate } from "node:crypto";
import type { ExtKeyUsage, KeyUsage } from "../../base/cryptography/certificate-signer.ts";
import { contentOf } from "../../base/der-reader.ts";
import {
  bitString,
  boolean,
  contextTag,
  integer,
  namedBits,
  nothing,
  octetString,
  oid,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";
import { readDer } from "./read-der.ts";
import { ipBytes } from "./x509-ip.ts";
import { certificateParts, publicKeyBits, type Subject, uidAttribute } from "./x509-parts.ts";

/** The issuer: its encoded name for the certificate, and its private key. */
export interface Issuer {
  readonly name: Uint8Array;
  readonly key: KeyObject;
  readonly keyId?: Uint8Array;
}

/** The content of a certificate to issue. */
export interface CertificateRequest extends AlternativeNames {
  /** The subject, or its encoded name. */
  readonly subject: Subject | Uint8Array;
  readonly publicKey: KeyObject;
  /** A self-signed certificate has its own name and key here. */
  readonly issuer: Issuer;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Big-endian bytes; random if absent. */
  readonly serial?: Uint8Array;
  readonly isCa?: boolean;
  readonly keyUsage?: readonly KeyUsage[];
  readonly extKeyUsage?: readonly ExtKeyUsage[];
  /** Derived from the public key if absent. */
  readonly subjectKeyId?: Uint8Array;
  /** The issuer's if absent. */
  readonly authorityKeyId?: Uint8Array;
}

/** The names and addresses of a certificate's holder. */
export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  /** As texts, or as the bytes that certificates hold. */
  readonly ips?: readonly (string | Uint8Array)[];
  readonly uris?: readonly string[];
}

/** Signs a certificate and returns it as PEM. */
export function issueCertificate(request: CertificateRequest): string {
  const { subject } = request;
  const name = subject instanceof Uint8Array ? subject : encodeName(subject);
  const algorithm = signatureAlgorithm(request.issuer.key);
  const spki = request.publicKey.export({ type: "spki", format: "der" });
  const signed = sequence(
    contextTag(0, integer(2), true),
    integer(request.serial ?? randomSerial()),
    algorithm.identifier,
    request.issuer.name,
    sequence(time(request.notBefore), time(request.notAfter)),
    name,
    spki,
    contextTag(3, sequence(...extensions(request, { name, spki })), true),
  );
  const signature = sign(algorithm.hash, signed, request.issuer.key);
  return pem("CERTIFICATE", sequence(signed, algorithm.identifier, bitString(signature)));
}

/** The issuer for an authority's certificate and private key. */
export function issuerFrom(certificate: X509Certificate, key: KeyObject): Issuer {
  const { subjectName: name, extensions } = certificateParts(certificate.raw);
  const keyId = extensions.get("2.5.29.14");
  // Certificates must repeat the issuer's key identifier as it is, whatever its algorithm.
  return keyId === undefined ? { name, key } : { name, key, keyId: contentOf(readDer(keyId)) };
}

/** A subject as a Name; organizations come before the common name, as Go writes them. */
export function encodeName(subject: Subject): Buffer {
  const attribute = (type: string, value: string) => sequence(oid(type), utf8String(value));
  const parts = subject.organizations.map((name) => set(attribute("2.5.4.10", name)));
  if (subject.commonName !== "") parts.push(set(attribute("2.5.4.3", subject.commonName)));
  if (subject.uid !== undefined) parts.push(set(attribute(uidAttribute, subject.uid)));
  return sequence(...parts);
}

/** The value of the extension that holds names and addresses; undefined without any. */
export function subjectAltNames(names: AlternativeNames): Uint8Array | undefined {
  const { dnsNames = [], emailAddresses = [], ips = [], uris = [] } = names;
  const text = (tag: number, name: string) => contextTag(tag, Buffer.from(name, "latin1"), false);
  const list = [
    ...dnsNames.map((name) => text(2, name)),
    ...emailAddresses.map((address) => text(1, address)),
    ...ips.map((ip) => contextTag(7, typeof ip === "string" ? ipBytes(ip) : ip, false)),
    ...uris.map((uri) => text(6, uri)),
  ];
  return list.length === 0 ? undefined : sequence(...list);
}

/** The object identifier of the extension that holds names and addresses. */
export const subjectAltNameOid = "2.5.29.17";

/** Encodes DER as PEM. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

const keyUsageBits: Readonly<Record<KeyUsage, number>> = {
  digitalSignature: 0,
  contentCommitment: 1,
  keyEncipherment: 2,
  dataEncipherment: 3,
  keyAgreement: 4,
  keyCertSign: 5,
  cRLSign: 6,
  encipherOnly: 7,
  decipherOnly: 8,
};

const extKeyUsageOids: Readonly<Record<ExtKeyUsage, string>> = {
  any: "2.5.29.37.0",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
  codeSigning: "1.3.6.1.5.5.7.3.3",
  emailProtection: "1.3.6.1.5.5.7.3.4",
  ipsecEndSystem: "1.3.6.1.5.5.7.3.5",
  ipsecTunnel: "1.3.6.1.5.5.7.3.6",
  ipsecUser: "1.3.6.1.5.5.7.3.7",
  timeStamping: "1.3.6.1.5.5.7.3.8",
  ocspSigning: "1.3.6.1.5.5.7.3.9",
  microsoftSgc: "1.3.6.1.4.1.311.10.3.3",
  netscapeSgc: "2.16.840.1.113730.4.1",
};

function extensions(
  request: CertificateRequest,
  { name, spki }: { readonly name: Uint8Array; readonly spki: Uint8Array },
): Buffer[] {
  const { isCa = false, keyUsage = [], extKeyUsage = [] } = request;
  const keyId = request.subjectKeyId ?? keyIdFrom(spki);
  const authorityKeyId = request.authorityKeyId ?? request.issuer.keyId;
  const list: Buffer[] = [];
  if (keyUsage.length > 0) {
    const bits = namedBits(keyUsage.map((usage) => keyUsageBits[usage]));
    list.push(extension("2.5.29.15", bits, true));
  }
  if (extKeyUsage.length > 0) {
    const usages = sequence(...extKeyUsage.map((usage) => oid(extKeyUsageOids[usage])));
    list.push(extension("2.5.29.37", usages, false));
  }
  list.push(extension("2.5.29.19", isCa ? sequence(boolean(true)) : sequence(), true));
  list.push(extension("2.5.29.14", octetString(keyId), false));
  if (authorityKeyId !== undefined) {
    list.push(extension("2.5.29.35", sequence(contextTag(0, authorityKeyId, false)), false));
  }
  const names = subjectAltNames(request);
  // Without a subject, the names alone identify the holder, and every reader must understand them.
  if (names !== undefined) list.push(extension(subjectAltNameOid, names, name.length === 2));
  return list;
}

/** An extension of a certificate. */
export function extension(type: string, value: Uint8Array, critical: boolean): Buffer {
  return critical
    ? sequence(oid(type), boolean(true), octetString(value))
    : sequence(oid(type), octetString(value));
}

/** RFC 7093: the first 160 bits of the key's SHA-256. */
function keyIdFrom(spki: Uint8Array): Uint8Array {
  return createHash("sha256").update(publicKeyBits(spki)).digest().subarray(0, 20);
}

function randomSerial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

interface SignatureAlgorithm {
  readonly hash: string | null;
  readonly identifier: Buffer;
}

/** How a private key signs certificates and requests. */
export function signatureAlgorithm(key: KeyObject): SignatureAlgorithm {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return { hash: "sha256", identifier: sequence(oid("1.2.840.113549.1.1.11"), nothing()) };
    case "ed25519":
      return { hash: null, identifier: sequence(oid("1.3.101.112")) };
    case "ec":
      return ecdsaAlgorithm(key.asymmetricKeyDetails?.namedCurve);
    default:
      throw new Error(`cannot sign certificates with a key of type ${key.asymmetricKeyType}`);
  }
}

function ecdsaAlgorithm(curve: string | undefined): SignatureAlgorithm {
  if (curve === "secp521r1")
    return { hash: "sha512", identifier: sequence(oid("1.2.840.10045.4.3.4")) };
  return curve === "secp384r1"
    ? { hash: "sha384", identifier: sequence(oid("1.2.840.10045.4.3.3")) }
    : { hash: "sha256", identifier: sequence(oid("1.2.840.10045.4.3.2")) };
}
