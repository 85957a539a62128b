import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkPrivate, writePrivateFile } from "../files.ts";
import { isSignedBy, issueLeaf } from "./pki.ts";
import { readIfPresent } from "./pki-files.ts";
import { dueAt } from "./pki-lifetime.ts";
import { certificateParts } from "./x509-parts.ts";

/** A certificate in a folder of key material. */
export interface KeptCertificate {
  /** The name of its file without the extension. */
  readonly name: string;
  /** Undefined if it cannot be read. */
  readonly certificate: X509Certificate | undefined;
  readonly isAuthority: boolean;
  /** The name of the authority in the same folder that has signed it; undefined if another has. */
  readonly authority: string | undefined;
  /** Why it cannot be used; undefined if it can. */
  readonly problem: string | undefined;
  /** Whether it is to be renewed. */
  readonly isDue: boolean;
}

/** Reads the certificates of a folder, authorities last, and says what is wrong with them. */
export async function readCertificates(dir: string, now: Date): Promise<KeptCertificate[]> {
  const names = (await readdir(dir))
    .filter((file) => file.endsWith(".crt"))
    .map((file) => file.slice(0, -".crt".length))
    .sort();
  const read = await Promise.all(
    names.map(async (name) => {
      const pem = (await readIfPresent(join(dir, `${name}.crt`))) ?? "";
      const certificate = parse(pem);
      return { name, certificate, problem: await problemOf(dir, name, { certificate, now }) };
    }),
  );
  const authorities = read.filter(({ certificate }) => certificate?.ca);
  const all = read.map(({ name, certificate, problem }): KeptCertificate => {
    const isAuthority = certificate?.ca ?? false;
    const signer = authorities.find(
      ({ certificate: other }) =>
        certificate && !isAuthority && other && isSignedBy(certificate, other),
    );
    const isDue = certificate !== undefined && now.getTime() > dueAt(certificate);
    return { name, certificate, isAuthority, authority: signer?.name, problem, isDue };
  });
  return all.sort((a, b) => Number(a.isAuthority) - Number(b.isAuthority));
}

/** Issues a certificate again, for the same key and names, by an authority in the same folder. */
export async function reissue(dir: string, kept: KeptCertificate, now: Date): Promise<void> {
  const { name, certificate, authority } = kept;
  if (!certificate || authority === undefined)
    throw new Error(`${name} was not issued by an authority in ${dir}`);
  const key = await privateKeyOf(dir, name);
  const signer = {
    certificate: new X509Certificate((await readIfPresent(join(dir, `${authority}.crt`))) ?? ""),
    key: await privateKeyOf(dir, authority),
  };
  const profile = {
    ...namesOf(certificate),
    subject: subjectOf(certificate),
    extKeyUsage: usagesOf(certificate),
  };
  await writePrivateFile(join(dir, `${name}.crt`), issueLeaf(key, profile, { signer, now }));
}

function parse(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

async function problemOf(
  dir: string,
  name: string,
  { certificate, now }: { readonly certificate: X509Certificate | undefined; readonly now: Date },
): Promise<string | undefined> {
  if (!certificate) return "cannot be read";
  if (Date.parse(certificate.validTo) <= now.getTime()) return "has expired";
  if (Date.parse(certificate.validFrom) > now.getTime()) return "is not valid yet";
  try {
    const key = await privateKeyOf(dir, name);
    return certificate.checkPrivateKey(key) ? undefined : `does not belong to ${name}.key`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function privateKeyOf(dir: string, name: string): Promise<KeyObject> {
  const path = join(dir, `${name}.key`);
  const pem = await readIfPresent(path);
  if (pem === undefined) throw new Error(`${name}.key is missing`);
  await checkPrivate(path);
  return createPrivateKey(pem);
}

function subjectOf(certificate: X509Certificate) {
  const { subject } = certificateParts(certificate.raw);
  return { commonName: subject.commonName, organizations: subject.organizations };
}

/** The alternative names as Node writes them: `DNS:localhost, IP Address:127.0.0.1`. */
function namesOf({ subjectAltName = "" }: X509Certificate) {
  const names = subjectAltName === "" ? [] : subjectAltName.split(", ");
  const of = (type: string) =>
    names.filter((name) => name.startsWith(type)).map((name) => name.slice(type.length));
  return { dnsNames: of("DNS:"), ips: of("IP Address:") };
}

const usageNames = {
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
} as const;

const usagesOf = ({ keyUsage = [] }: X509Certificate) =>
  (Object.keys(usageNames) as (keyof typeof usageNames)[])
    .filter((oid) => keyUsage.includes(oid))
    .map((oid) => usageNames[oid]);
