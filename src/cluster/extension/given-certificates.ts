import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { errorMessage } from "../../base/error-message.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { watchFiles } from "../../platform/watch-files.ts";
import type { KeptCertificates, KeptCertificatesOptions } from "./kept-certificates.ts";

/** Certificates that somebody else makes and renews, such as cert-manager; PEM. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities by which API servers verify the certificate; those that their machines trust if not given. */
  readonly caFile?: string | undefined;
}

/** Serves with the certificates of files, and with others once the files are replaced. */
export async function followCertificates(
  files: CertificateFiles,
  { clock, log, onChange }: Pick<KeptCertificatesOptions, "clock" | "log" | "onChange">,
): Promise<KeptCertificates> {
  let current = await readCertificates(files);
  const { certFile, keyFile, caFile = certFile } = files;
  const watched = watchFiles([certFile, keyFile, caFile], {
    clock,
    onChange: () =>
      void readCertificates(files).then(
        (next) => {
          current = next;
          log.info("serving with new certificates");
          onChange();
        },
        // The last ones stay in use.
        (error: unknown) => log.error("certificates cannot be read", error),
      ),
  });
  return {
    get current() {
      return current;
    },
    close: () => watched.close(),
  };
}

async function readCertificates({
  certFile,
  keyFile,
  caFile,
}: CertificateFiles): Promise<KeptCertificates["current"]> {
  const [cert, key, ca] = await Promise.all([
    readFile(certFile, "utf8"),
    readFile(keyFile, "utf8"),
    caFile === undefined ? undefined : readFile(caFile, "utf8"),
  ]);
  const server: KeyPair = { cert, key };
  const fault = faultOf(server);
  if (fault !== undefined) throw new Error(`${certFile} and ${keyFile} cannot be used: ${fault}`);
  return { ca, server };
}

function faultOf({ cert, key }: KeyPair): string | undefined {
  try {
    const isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
    return isPair ? undefined : "the key is not that of the certificate";
  } catch (error) {
    return errorMessage(error);
  }
}
