import { createPrivateKey, X509Certificate } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { syncFolder, writePrivateFile } from "../../../platform/files.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { readIfPresent } from "../../../platform/pki/pki-files.ts";
import type { Validity } from "./rotation-time.ts";

/** A certificate and its key, with what is read from the certificate. */
export interface StoredPair extends KeyPair, Validity {
  readonly certificate: X509Certificate;
}

/** The pairs of one purpose in a directory; a link leads to the one in use. */
export interface CertificateStore {
  /** The path of the link. */
  readonly path: string;
  /** The pair in use; undefined if there is none. */
  current(): Promise<StoredPair | undefined>;
  /** Stores a pair, and takes it into use. */
  update(pair: KeyPair, now: Date): Promise<StoredPair>;
}

/**
 * Opens the store of pairs in files `PREFIX-DATE.pem`, which hold the certificate and its key and only their
 * owner may read. `PREFIX-current.pem` is a link to the one in use.
 */
export async function certificateStore(dir: string, prefix: string): Promise<CertificateStore> {
  const file = (word: string): string => resolve(dir, `${prefix}-${word}.pem`);
  const path = file("current");
  const updated = file("updated");
  // Other kubelets remove the link before they replace it, and may be stopped in between.
  if (!(await isPresent(path)) && (await isLink(updated))) await rename(updated, path);
  return {
    path,
    async current() {
      const pem = await readIfPresent(path);
      if (pem !== undefined) return pairIn(pem, path);
      const cert = await readIfPresent(join(dir, `${prefix}.crt`));
      const key = await readIfPresent(join(dir, `${prefix}.key`));
      return cert === undefined || key === undefined
        ? undefined
        : pairIn(joinedPem({ cert, key }), dir);
    },
    async update(given, now) {
      await mkdir(dir, { recursive: true, mode: 0o755 });
      const target = file(timestamp(now));
      const pem = joinedPem(given);
      const pair = pairIn(pem, target);
      await writePrivateFile(target, pem);
      await rm(updated, { force: true });
      await symlink(target, updated);
      await rename(updated, path);
      await syncFolder(dir);
      return pair;
    },
  };
}

/** A certificate and its key as one text. */
export const joinedPem = ({ cert, key }: KeyPair): string => `${cert.trimEnd()}\n${key}`;

/** Reads the pair in a text; throws if it is incomplete, or the key is another certificate's. */
export function pairIn(pem: string, path: string): StoredPair {
  try {
    const certificate = new X509Certificate(pem);
    const blocks = pem.match(/-----BEGIN ([^-\n]+)-----[\s\S]*?-----END \1-----\n?/g) ?? [];
    const cert = blocks.filter((block) => block.includes("CERTIFICATE")).join("");
    const key = blocks.find((block) => block.includes("PRIVATE KEY")) ?? "";
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      throw new Error("private key does not match public key");
    const notBefore = Date.parse(certificate.validFrom);
    const notAfter = Date.parse(certificate.validTo);
    return { cert, key, certificate, notBefore, notAfter };
  } catch (cause) {
    throw new Error(`could not convert data from "${path}" into cert/key pair`, { cause });
  }
}

/** `2026-01-02-15-04-05`, in the machine's time zone. */
function timestamp(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace(/[T:]/g, "-");
}

async function isPresent(path: string): Promise<boolean> {
  return (await readFile(path).catch(unlessAbsent)) !== undefined;
}

async function isLink(path: string): Promise<boolean> {
  return (await lstat(path).catch(unlessAbsent))?.isSymbolicLink() ?? false;
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
