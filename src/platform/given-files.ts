import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import type { KeyPair } from "./pki/pki.ts";

/** A file and the flag that names it: errors mention both. */
export interface GivenFile {
  readonly flag: string;
  readonly path: string;
}

/** The text of a file that a flag names. */
export async function readGiven({ flag, path }: GivenFile): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    throw new Error(`cannot read ${path}, given by --${flag}: ${problems[code] ?? code}`);
  }
}

/** A chain of certificates and the private key of the first; checks that both are valid and match. */
export async function readKeyPair(cert: GivenFile, key: GivenFile): Promise<KeyPair> {
  const pems = await Promise.all([readGiven(cert), readGiven(key)]);
  const [certificate] = certificatesIn(pems[0], cert);
  const privateKey = privateKeyIn(pems[1], key);
  if (!certificate?.checkPrivateKey(privateKey))
    throw new Error(
      `${key.path}, given by --${key.flag}, is not the private key of ${cert.path}, given by --${cert.flag}: give the two that belong together`,
    );
  return { cert: pems[0], key: pems[1] };
}

/** A PEM file with at least one certificate. */
export async function readAuthorities(file: GivenFile): Promise<string> {
  const pem = await readGiven(file);
  certificatesIn(pem, file);
  return pem;
}

/** Warnings about a private key and its certificate, which can be used nevertheless. */
export async function keyPairWarnings(
  { cert }: KeyPair,
  { keyPath, now }: { readonly keyPath: string; readonly now: Date },
): Promise<string[]> {
  const warnings: string[] = [];
  const { mode } = await stat(keyPath);
  if (process.platform !== "win32" && (mode & 0o007) !== 0)
    warnings.push(
      `${keyPath} may be read by everybody: make it private with "chmod o= ${keyPath}"`,
    );
  const { validTo, validFrom } = new X509Certificate(cert);
  if (Date.parse(validTo) <= now.getTime()) warnings.push(`the certificate expired on ${validTo}`);
  if (Date.parse(validFrom) > now.getTime())
    warnings.push(`the certificate is not valid before ${validFrom}`);
  return warnings;
}

function certificatesIn(pem: string, { flag, path }: GivenFile): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0)
    throw new Error(
      `${path}, given by --${flag}, holds no certificate: it must be PEM, with a block that begins with -----BEGIN CERTIFICATE-----`,
    );
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch (cause) {
      const which = blocks.length > 1 ? `certificate ${index + 1} of ` : "the certificate in ";
      throw new Error(
        `${which}${path}, given by --${flag}, cannot be read: restore the file, or make it anew`,
        { cause },
      );
    }
  });
}

function privateKeyIn(pem: string, { flag, path }: GivenFile): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The cause is left out of the message: it could quote the key.
    const isLocked = /ENCRYPTED/.test(pem);
    throw new Error(
      isLocked
        ? `${path}, given by --${flag}, is protected by a passphrase: give a key without one, readable by its owner alone`
        : `${path}, given by --${flag}, holds no private key that can be read: it must be PEM, as openssl writes it`,
    );
  }
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file; check the path",
  EACCES: "permission denied; let the user that runs this program read it",
  EISDIR: "it is a directory; give a file in it",
};
