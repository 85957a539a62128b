import {
  contentOf,
  DerReader,
  type Element,
  integerOf,
  tags,
  wholeOf,
} from "../../../base/der-reader.ts";
import {
  type AlternativeNames,
  alternativeNamesOid,
  readAlternativeNames,
  readName,
} from "./names.ts";
import { attempt, type PublicKey, parsePublicKey, readAlgorithm } from "./public-key.ts";
import { readTime } from "./time.ts";

/** The parts of an X.509 certificate that the API server uses. */
export interface Certificate {
  readonly raw: Uint8Array;
  /** Seconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Undefined where its algorithm is not known. */
  readonly publicKey: PublicKey | undefined;
  /** Whether it is a certificate authority, by its basic constraints. */
  readonly isCa: boolean;
  readonly names: AlternativeNames;
}

/** Parses concatenated certificates; throws Go's error for a malformed one. */
export function parseCertificates(der: Uint8Array): Certificate[] {
  const certificates: Certificate[] = [];
  for (let rest = der; rest.length > 0; ) {
    const certificate = parseFirst(rest);
    certificates.push(certificate);
    rest = rest.subarray(certificate.raw.length);
  }
  return certificates;
}

/** Parses one certificate. */
export function parseCertificate(der: Uint8Array): Certificate {
  const certificate = parseFirst(der);
  if (certificate.raw.length !== der.length) throw new Error("x509: trailing data");
  return certificate;
}

function parseFirst(der: Uint8Array): Certificate {
  const whole = sequenceOr("certificate", new DerReader(der));
  const outer = DerReader.inside(whole);
  const body = DerReader.inside(sequenceOr("tbs certificate", outer));
  const version = readVersion(body);
  const serial = attempt("x509: malformed serial number", () => body.integer(""));
  if (serial < 0n) throw new Error("x509: negative serial number");
  checkAlgorithm(sequenceOr("signature algorithm identifier", body), outer);
  readDistinguishedName(sequenceOr("issuer", body));
  const validity = DerReader.inside(sequenceOr("validity", body));
  const notBefore = readTime(validity);
  const notAfter = readTime(validity);
  // Go's error for the subject says issuer, too.
  readDistinguishedName(sequenceOr("issuer", body));
  const publicKey = readKey(sequenceOr("spki", body));
  const extensions = version === 3 ? readExtensions(body) : [];
  attempt("x509: malformed signature", () => outer.bitString());
  const find = (wanted: string) => extensions.find(({ oid }) => oid === wanted)?.value;
  const names = find(alternativeNamesOid);
  return {
    raw: wholeOf(whole),
    notBefore,
    notAfter,
    publicKey,
    isCa: readIsCa(find(basicConstraints)),
    names: names ? readAlternativeNames(names) : none,
  };
}

const basicConstraints = "2.5.29.19";
const none: AlternativeNames = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };

const sequenceOr = (part: string, reader: DerReader): Element =>
  attempt(`x509: malformed ${part}`, () => reader.sequence(""));

function readVersion(body: DerReader): number {
  const version = attempt("x509: malformed version", () => {
    const explicit = body.optional(0);
    return explicit ? DerReader.inside(explicit).integer("") : 0n;
  });
  if (version < 0n) throw new Error("x509: malformed version");
  if (version > 2n) throw new Error("x509: invalid version");
  return Number(version) + 1;
}

function checkAlgorithm(inner: Element, outer: DerReader): void {
  const repeated = contentOf(sequenceOr("algorithm identifier", outer));
  const given = contentOf(inner);
  if (given.length !== repeated.length || given.some((byte, i) => byte !== repeated[i]))
    throw new Error("x509: inner and outer signature algorithm identifiers don't match");
  attempt("x509: malformed OID", () => readAlgorithm(inner));
}

const readDistinguishedName = (element: Element): void => {
  attempt("x509: invalid RDNSequence", () => readName(element));
};

function readKey(element: Element): PublicKey | undefined {
  const reader = DerReader.inside(element);
  const algorithm = sequenceOr("public key algorithm identifier", reader);
  const { oid, parameters } = attempt("x509: malformed OID", () => readAlgorithm(algorithm));
  const bits = attempt("x509: malformed subjectPublicKey", () => reader.bitString());
  return parsePublicKey({ oid, parameters, bits });
}

interface Extension {
  readonly oid: string;
  readonly value: Uint8Array;
}

function readExtensions(body: DerReader): readonly Extension[] {
  const explicit = attempt("x509: malformed extensions", () => {
    body.optional(1);
    body.optional(2);
    return body.optional(3);
  });
  if (!explicit) return [];
  const list = DerReader.inside(sequenceOr("extensions", DerReader.inside(explicit)));
  const extensions: Extension[] = [];
  while (!list.isAtEnd) {
    const extension = readExtension(DerReader.inside(sequenceOr("extension", list)));
    if (extensions.some(({ oid }) => oid === extension.oid))
      throw new Error("x509: certificate contains duplicate extensions");
    extensions.push(extension);
  }
  return extensions;
}

function readExtension(reader: DerReader): Extension {
  const oid = attempt("x509: malformed extension OID field", () => reader.oid());
  if (reader.isNext(tags.boolean))
    attempt("x509: malformed extension critical field", () => reader.any());
  const value = attempt("x509: malformed extension value field", () =>
    contentOf(reader.element({ tag: tags.octetString, goType: "" })),
  );
  return { oid, value };
}

function readIsCa(value: Uint8Array | undefined): boolean {
  if (!value) return false;
  return attempt("x509: invalid basic constraints", () => {
    const reader = DerReader.inside(new DerReader(value).sequence(""));
    const isCa = reader.isNext(tags.boolean) && contentOf(reader.any())[0] === 0xff;
    if (reader.isNext(tags.integer)) integerOf(reader.any());
    return isCa;
  });
}
