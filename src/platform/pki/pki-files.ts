import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  type X509Certificate,
} from "node:crypto";
import { readFile } from "node:fs/promises";
import { checkPrivate, writePrivateFile } from "../files.ts";
import { certificatesIn } from "./pem-certificates.ts";

/** A private key and the PEM that holds it. */
export interface StoredKey {
  readonly pem: string;
  readonly key: KeyObject;
}

/** A certificate and the PEM that holds it. */
export interface StoredCertificate {
  readonly pem: string;
  readonly certificate: X509Certificate;
}

/** Certificates, at least one, and the PEM that holds them. */
export interface StoredCertificates {
  readonly pem: string;
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
}

/** Key material that cannot be used; the message names the file and says what to do. */
export class PkiError extends Error {
  override readonly name = "PkiError";

  constructor(path: string, problem: string, options: { remedy: string; cause?: unknown }) {
    super(`${path} ${problem}: ${options.remedy}`, { cause: options.cause });
  }
}

/** Reads a private key; throws if others can read the file, undefined if there is none. */
export async function loadKey(path: string, remedy: string): Promise<StoredKey | undefined> {
  const pem = await readIfPresent(path);
  if (pem === undefined) return undefined;
  await checkPrivate(path);
  try {
    return { pem, key: createPrivateKey(pem) };
  } catch (cause) {
    throw new PkiError(path, "holds no private key that can be read", { remedy, cause });
  }
}

/** Creates a private key and stores it. */
export async function makeKey(path: string): Promise<StoredKey> {
  const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = key.export({ type: "pkcs8", format: "pem" }).toString();
  await writePrivateFile(path, pem);
  return { pem, key };
}

/** Reads a certificate, the first of its file; undefined if there is no file. */
export async function loadCertificate(
  path: string,
  remedy: string,
): Promise<StoredCertificate | undefined> {
  const stored = await loadCertificates(path, remedy);
  return stored && { pem: stored.pem, certificate: stored.certificates[0] };
}

/** Reads the certificates of a file; undefined if there is no file. */
export async function loadCertificates(
  path: string,
  remedy: string,
): Promise<StoredCertificates | undefined> {
  const pem = await readIfPresent(path);
  if (pem === undefined) return undefined;
  const what = "holds no certificate that can be read";
  try {
    const [first, ...others] = certificatesIn(pem);
    if (first) return { pem, certificates: [first, ...others] };
  } catch (cause) {
    throw new PkiError(path, what, { remedy, cause });
  }
  throw new PkiError(path, what, { remedy });
}

/** The text of a file; undefined if there is none. */
export async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
