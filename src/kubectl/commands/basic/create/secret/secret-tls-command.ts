import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { stringFlag } from "../../../../../cli/flag.ts";
import { fileFault } from "../../../../../kubeconfig/file-fault.ts";
import { createObjectCommand } from "../create-object-command.ts";
import { appendHashFlags, secretContent, secretKind, secretObject } from "./secret-object.ts";

export const createSecretTlsCommand = createObjectCommand({
  command: {
    name: "tls",
    usage: "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
    short: "Create a TLS secret",
    long: `Create a secret with a certificate and its private key.

Both must exist in files, the certificate in PEM form, and the key must belong to it.`,
    examples:
      "# Create the secret tls-secret from two files\nkubectl create secret tls tls-secret --cert=path/to/tls.crt --key=path/to/tls.key",
  },
  flags: {
    cert: stringFlag({ usage: "The file with the certificate, in PEM form." }),
    key: stringFlag({ usage: "The file with the certificate's private key." }),
    ...appendHashFlags,
  },
  kind: secretKind,
  failure: () => "failed to create secret ",
  async generate(plan, { cwd }) {
    const { cert, key } = plan.flags;
    if (cert === "" || key === "") throw new Error("key and cert must be specified");
    const certificate = await read(cert, cwd);
    const privateKey = await read(key, cwd);
    const { tlsPairFault } = await import("../../../../../api/core/v1/secret-tls.ts");
    const fault = tlsPairFault(certificate, privateKey) ?? keyFault(certificate, privateKey);
    if (fault !== undefined) throw new Error(fault);
    const { data, add } = secretContent();
    add("tls.crt", certificate);
    add("tls.key", privateKey);
    return secretObject(plan, "kubernetes.io/tls", data);
  },
});

async function read(path: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(resolve(cwd, path));
  } catch (cause) {
    throw new Error(`Cannot read file ${path}, ${fileFault("open", path, cause)}`, { cause });
  }
}

/** Why a key does not belong to a certificate, in Go's words. */
function keyFault(certificate: Buffer, privateKey: Buffer): string | undefined {
  let parsed: X509Certificate;
  try {
    parsed = new X509Certificate(certificate);
  } catch {
    return "x509: malformed certificate";
  }
  try {
    const key = createPrivateKey(privateKey);
    if (parsed.checkPrivateKey(key)) return undefined;
    return parsed.publicKey.asymmetricKeyType === key.asymmetricKeyType
      ? "tls: private key does not match public key"
      : "tls: private key type does not match public key type";
  } catch {
    return "tls: failed to parse private key";
  }
}
