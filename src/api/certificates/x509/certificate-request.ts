import type { VerifySignature } from "../../../base/cryptography/verify-signature.ts";
import {
  contentOf,
  DerReader,
  type Element,
  structureError,
  syntaxError,
  tags,
  wholeOf,
} from "../../../base/der-reader.ts";
import {
  type AlternativeNames,
  alternativeNamesOid,
  type NameAttribute,
  readAlternativeNames,
  readName,
} from "./names.ts";
import { pemBlocks, textOfBytes } from "./pem.ts";
import { type PublicKey, parsePublicKey, readAlgorithm, readPublicKeyInfo } from "./public-key.ts";
import { type SignatureAlgorithm, signatureAlgorithm, signatureFault } from "./signature.ts";

/** A certificate signing request: PKCS #10. */
export interface CertificateRequest {
  readonly subject: readonly NameAttribute[];
  /** Undefined where its algorithm is not known. */
  readonly publicKey: PublicKey | undefined;
  /** The key as a SubjectPublicKeyInfo in DER. */
  readonly publicKeyInfo: Uint8Array;
  readonly names: AlternativeNames;
  readonly algorithm: SignatureAlgorithm | undefined;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Parses a request in PEM; throws Go's error if there is none. */
export function readCertificateRequest(pem: Uint8Array): CertificateRequest {
  const [block] = pemBlocks(textOfBytes(pem));
  if (block?.type !== "CERTIFICATE REQUEST")
    throw new Error("PEM block type must be CERTIFICATE REQUEST");
  return parseCertificateRequest(block.bytes);
}

/** Parses a request; throws Go's error for a malformed one. */
export function parseCertificateRequest(der: Uint8Array): CertificateRequest {
  const reader = new DerReader(der);
  const outer = DerReader.inside(reader.sequence("certificateRequest"));
  const body = outer.sequence("tbsCertificateRequest");
  const { subject, key, publicKeyInfo, attributes } = readBody(body);
  const { oid, parameters } = readAlgorithm(outer.sequence("AlgorithmIdentifier"));
  const signature = outer.bitString();
  if (!reader.isAtEnd) throw syntaxError("trailing data");
  return {
    publicKey: parsePublicKey(key),
    publicKeyInfo,
    subject: readName(subject),
    names: requestedNames(attributes),
    algorithm: signatureAlgorithm(oid, parameters),
    signed: wholeOf(body),
    signature,
  };
}

/** Go's error for a request that is not signed with its own key; undefined if it is. */
export const requestSignatureFault = (
  request: CertificateRequest,
  verify: VerifySignature,
): string | undefined => signatureFault(request, request.publicKey, verify);

function readBody(body: Element) {
  const reader = DerReader.inside(body);
  const version = reader.integer("int");
  if (BigInt.asIntN(64, version) !== version) throw structureError("integer too large");
  const subject = reader.any();
  const info = reader.sequence("publicKeyInfo");
  const key = readPublicKeyInfo(info);
  const attributes = reader.element({ tag: 0, class: 2, isCompound: true, goType: "" });
  return { subject, key, publicKeyInfo: wholeOf(info), attributes };
}

const extensionRequest = "1.2.840.113549.1.9.14";
const none: AlternativeNames = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };

/** The subject alternative names among the requested extensions. */
function requestedNames(attributes: Element): AlternativeNames {
  let names = none;
  const seen = new Set<string>();
  for (const attribute of DerReader.inside(attributes).rest()) {
    const extensions = requestedExtensions(attribute);
    for (const { oid } of extensions) {
      if (seen.has(oid))
        throw new Error("x509: certificate request contains duplicate requested extensions");
      seen.add(oid);
    }
    const found = extensions.find(({ oid }) => oid === alternativeNamesOid);
    if (found) names = readAlternativeNames(found.value);
  }
  return names;
}

interface Extension {
  readonly oid: string;
  readonly value: Uint8Array;
}

function requestedExtensions(attribute: Element): Extension[] {
  const list = extensionList(attribute);
  if (!list) return [];
  const outer = new DerReader(wholeOf(list)).sequence("");
  return DerReader.inside(outer)
    .allOf(tags.sequence)
    .map((extension) => {
      const reader = DerReader.inside(extension);
      const oid = reader.oid();
      if (reader.isNext(tags.boolean)) reader.any();
      const value = contentOf(reader.element({ tag: tags.octetString, goType: "" }));
      return { oid, value };
    });
}

/** The first value of an extension request; undefined for other attributes, which are ignored. */
function extensionList(attribute: Element): Element | undefined {
  try {
    const reader = DerReader.inside(new DerReader(wholeOf(attribute)).sequence(""));
    if (reader.oid() !== extensionRequest) return undefined;
    const set = reader.element({ tag: tags.set, isCompound: true, goType: "" });
    return DerReader.inside(set).rest()[0];
  } catch {
    return undefined;
  }
}
