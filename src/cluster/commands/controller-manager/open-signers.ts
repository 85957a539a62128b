import type { CertificateSigner } from "../../../base/cryptography/certificate-signer.ts";
import { aborted } from "../../../base/on-abort.ts";
import type { Runnable } from "../../../controller-runtime/manager/manager-options.ts";
import type { CertificateSigners } from "../../../controllers/csrsigning/csr-signing-controller.ts";
import { readKeyPair } from "../../../platform/given-files.ts";
import { certificateSigner } from "../../../platform/pki/certificate-signer.ts";
import { watchFiles } from "../../../platform/watch-files.ts";
import { type AuthorityFiles, type SigningFlags, signingFiles } from "./flags/signing-flags.ts";

export interface OpenSigners {
  readonly signers: CertificateSigners;
  /** Reads replaced files again. */
  readonly follow: Runnable;
}

/** Opens the certificate authorities that flags name. */
export async function openSigners(flags: SigningFlags): Promise<OpenSigners> {
  const opened = await Promise.all(
    Object.entries(signingFiles(flags)).map(async ([name, files]) => ({
      name,
      ...(await openSigner(files)),
    })),
  );
  const paths = [...new Set(opened.flatMap((one) => one.paths))];
  return {
    signers: Object.fromEntries(opened.map(({ name, signer }) => [name, signer])),
    follow: {
      name: "certificate-authorities",
      account: "",
      stage: "always",
      async run(signal, { clock, log }) {
        const reload = async (): Promise<void> => {
          for (const one of opened) await one.reload();
        };
        const failed = (error: unknown): void =>
          log.error("reloading certificate authorities failed", error);
        const watching = watchFiles(paths, { clock, onChange: () => void reload().catch(failed) });
        await aborted(signal);
        watching.close();
      },
    },
  };
}

async function openSigner(files: AuthorityFiles) {
  let current = await readSigner(files);
  const signer: CertificateSigner = {
    get notAfter() {
      return current.notAfter;
    },
    sign: (content) => current.sign(content),
  };
  const reload = async (): Promise<void> => {
    current = await readSigner(files);
  };
  return { signer, reload, paths: [files.cert.path, files.key.path] };
}

async function readSigner({ cert, key }: AuthorityFiles): Promise<CertificateSigner> {
  const pair = await readKeyPair(cert, key);
  const count = pair.cert.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;
  if (count !== 1)
    throw new Error(
      `error reading CA cert file "${cert.path}", given by --${cert.flag}: expected 1 certificate, found ${count}`,
    );
  return certificateSigner(pair);
}
