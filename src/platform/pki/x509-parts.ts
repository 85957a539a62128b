import { contentOf, DerError, type Element, oidOf, tags, wholeOf } from "../../base/der-reader.ts";
import { readChildren, readDer, readText } from "./read-der.ts";

/** The parts of a certificate that Node's `X509Certificate` lacks, or gives ambiguously. */
export interface CertificateParts {
  /** The encoded name of the subject: certificates that it signs repeat it as their `issuer`. */
  readonly subjectName: Uint8Array;
  readonly subject: Subject;
  /** The extensions' values by object identifier. */
  readonly extensions: ReadonlyMap<string, Uint8Array>;
}

/** The subject of a certificate, as Kubernetes reads it: user name, groups and uid. */
export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uid?: string;
}

/** Parses a DER encoded certificate. */
export function certificateParts(der: Uint8Array): CertificateParts {
  const [signed] = readChildren(readDer(der));
  if (signed === undefined) throw new DerError("the certificate is empty");
  const fields = readChildren(signed);
  // The version is explicit in all but version 1, and comes first.
  const afterVersion = fields[0] && isContext(fields[0], 0) ? 1 : 0;
  const subject = fields[afterVersion + 4];
  if (subject === undefined) throw new DerError("the certificate has no subject");
  const extensions = fields.find((field) => isContext(field, 3));
  return {
    subjectName: wholeOf(subject),
    subject: readSubject(subject),
    extensions: extensions === undefined ? new Map() : readExtensions(extensions),
  };
}

/** The bits of a DER encoded public key without its algorithm: key identifiers are hashes of them. */
export function publicKeyBits(spki: Uint8Array): Uint8Array {
  const bits = readChildren(readDer(spki))[1];
  if (bits === undefined) throw new DerError("the public key has no bits");
  return contentOf(bits).subarray(1);
}

const isContext = (element: Element, tag: number): boolean =>
  element.class === 2 && element.tag === tag && element.isCompound;

function readOid(element: Element): string {
  if (element.class !== 0 || element.tag !== tags.oid)
    throw new DerError("the element is no object identifier");
  return oidOf(contentOf(element));
}

/** Reads a name as Go does: the last common name wins, organizations keep their order. */
function readSubject(name: Element): Subject {
  let commonName = "";
  const uids: string[] = [];
  const organizations: string[] = [];
  for (const relative of readChildren(name)) {
    for (const attribute of readChildren(relative)) {
      const [type, value] = readChildren(attribute);
      const text = value && readText(value);
      if (type === undefined || text === undefined) continue;
      const attributeType = readOid(type);
      if (attributeType === "2.5.4.3") commonName = text;
      else if (attributeType === "2.5.4.10") organizations.push(text);
      else if (attributeType === uidAttribute) uids.push(text);
    }
  }
  const [uid] = uids;
  if (uids.length > 1) throw new DerError("the subject has several uids");
  if (uid === "") throw new DerError("the subject's uid is empty");
  return { commonName, organizations, ...(uid !== undefined && { uid }) };
}

/** Kubernetes' own attribute for the uid of a user. */
export const uidAttribute = "1.3.6.1.4.1.57683.2";

function readExtensions(tagged: Element): Map<string, Uint8Array> {
  const extensions = new Map<string, Uint8Array>();
  const [list] = readChildren(tagged);
  if (list === undefined) return extensions;
  for (const extension of readChildren(list)) {
    const [type, ...rest] = readChildren(extension);
    // A BOOLEAN for criticality may come between type and value.
    const value = rest.at(-1);
    if (type !== undefined && value !== undefined) extensions.set(readOid(type), contentOf(value));
  }
  return extensions;
}
