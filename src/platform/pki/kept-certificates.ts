import { createPrivateKey, type KeyObject, type X509Certificate } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { checkPrivate, writePrivateFile } from "../files.ts";
import { certificatesIn } from "./pem-certificates.ts";
import { isSignedBy, issueLeaf } from "./pki.ts";
import { readIfPresent } from "./pki-files.ts";
import { dueAt } from "./pki-lifetime.ts";
import { certificateParts } from "./x509-parts.ts";

/** A certificate in a folder of key material. */
export interface KeptCertificate {
  /** The name of its file without the extension, and its role in brackets if it has one. */
  readonly name: string;
  /** Undefined if it cannot be read. */
  readonly certificate: X509Certificate | undefined;
  readonly isAuthority: boolean;
  /** That of an authority beside the one that signs, while it is rotated. */
  readonly role: "next" | "previous" | undefined;
  /** The name of the authority in the same folder that has signed it, now or before; undefined if another has. */
  readonly authority: string | undefined;
  /** Why it cannot be used; undefined if it can. */
  readonly problem: string | undefined;
  /** Whether it is to be renewed: it expires soon, or the previous authority has signed it. */
  readonly isDue: boolean;
}

/** A certificate of a file, before it is known which authority has signed it. */
interface ReadCertificate
  extends Pick<KeptCertificate, "name" | "certificate" | "role" | "problem"> {
  /** The name of the file without the extension. */
  readonly file: string;
}

/** Reads the certificates of a folder, authorities last, and says what is wrong with them. */
export async function readCertificates(dir: string, now: Date): Promise<KeptCertificate[]> {
  const names = (await readdir(dir))
    .filter((file) => file.endsWith(".crt"))
    .map((file) => file.slice(0, -".crt".length))
    .sort();
  const read = (await Promise.all(names.map((name) => readFileOf(dir, name, now)))).flat();
  const authorities = read.filter(({ certificate }) => certificate?.ca);
  const all = read.map(({ name, certificate, role, problem }): KeptCertificate => {
    const isAuthority = certificate?.ca ?? false;
    const signer = authorities.find(
      ({ certificate: other }) =>
        certificate && !isAuthority && other && isSignedBy(certificate, other),
    );
    const isDue =
      certificate !== undefined &&
      role !== "previous" &&
      (now.getTime() > dueAt(certificate) || signer?.role === "previous");
    return { name, certificate, isAuthority, role, authority: signer?.file, problem, isDue };
  });
  return all.sort((a, b) => Number(a.isAuthority) - Number(b.isAuthority));
}

/** The certificate of a file, and those beside it that are trusted while an authority is rotated. */
async function readFileOf(dir: string, file: string, now: Date): Promise<ReadCertificate[]> {
  const certificates = parse((await readIfPresent(join(dir, `${file}.crt`))) ?? "");
  const key = await privateKeyOf(dir, file).catch(() => undefined);
  const certificate =
    certificates.find((one) => key && one.checkPrivateKey(key)) ?? certificates[0];
  const problem = await problemOf(dir, file, { certificate, now });
  const own = { file, name: file, certificate, role: undefined, problem };
  if (!certificate?.ca) return [own];
  const next = await privateKeyOf(dir, `${file}-next`).catch(() => undefined);
  const others = certificates.filter((one) => one !== certificate);
  return [
    own,
    ...others.map((one): ReadCertificate => {
      const role = next && one.checkPrivateKey(next) ? "next" : "previous";
      const beside = { certificate: one, role, problem: timeProblem(one, now) } as const;
      return { file, name: `${file} (${role})`, ...beside };
    }),
  ];
}

/** Issues a certificate again, for the same key and names, by an authority in the same folder. */
export async function reissue(dir: string, kept: KeptCertificate, now: Date): Promise<void> {
  const { name, certificate, authority } = kept;
  if (!certificate || authority === undefined)
    throw new Error(`${name} was not issued by an authority in ${dir}`);
  const key = await privateKeyOf(dir, name);
  const ofAuthority = await privateKeyOf(dir, authority);
  const trusted = parse((await readIfPresent(join(dir, `${authority}.crt`))) ?? "");
  const signing = trusted.find((one) => one.checkPrivateKey(ofAuthority));
  if (!signing) throw new Error(`${authority}.crt does not belong to ${authority}.key`);
  const signer = { certificate: signing, key: ofAuthority };
  const profile = {
    ...namesOf(certificate),
    subject: subjectOf(certificate),
    extKeyUsage: usagesOf(certificate),
  };
  await writePrivateFile(join(dir, `${name}.crt`), issueLeaf(key, profile, { signer, now }));
}

function parse(pem: string): readonly X509Certificate[] {
  try {
    return certificatesIn(pem);
  } catch {
    return [];
  }
}

async function problemOf(
  dir: string,
  name: string,
  { certificate, now }: { readonly certificate: X509Certificate | undefined; readonly now: Date },
): Promise<string | undefined> {
  if (!certificate) return "cannot be read";
  const problem = timeProblem(certificate, now);
  if (problem !== undefined) return problem;
  try {
    const key = await privateKeyOf(dir, name);
    return certificate.checkPrivateKey(key) ? undefined : `does not belong to ${name}.key`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function timeProblem({ validFrom, validTo }: X509Certificate, now: Date): string | undefined {
  if (Date.parse(validTo) <= now.getTime()) return "has expired";
  return Date.parse(validFrom) > now.getTime() ? "is not valid yet" : undefined;
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
