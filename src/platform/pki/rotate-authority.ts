import type { X509Certificate } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writePrivateFile } from "../files.ts";
import { certificatesIn, pemOf } from "./pem-certificates.ts";
import { type AuthorityName, isOwn, issueAuthority } from "./pki-authority.ts";
import { loadCertificates, loadKey, makeKey, PkiError, readIfPresent } from "./pki-files.ts";
import type { RotationStage } from "./rotation-stage.ts";

/** An authority of a folder, and where its rotation stands. */
export interface AuthorityState {
  readonly name: string;
  readonly stage: RotationStage;
  /** The certificate whose key signs. */
  readonly signer: X509Certificate;
  /** The certificate that will sign. */
  readonly next: X509Certificate | undefined;
  /** The certificate that has signed before. */
  readonly previous: X509Certificate | undefined;
}

/** Reads an authority; throws if it is missing, or was not made by a cluster for itself. */
export async function readAuthority(
  dir: string,
  { file, commonName }: AuthorityName,
): Promise<AuthorityState> {
  const paths = pathsOf(dir, file);
  const remedy = "restore it from a backup";
  const [trusted, key, next] = await Promise.all([
    loadCertificates(paths.cert, remedy),
    loadKey(paths.key, remedy),
    loadKey(paths.next, `remove ${paths.next} to begin the rotation anew`),
  ]);
  if (!trusted) throw new PkiError(paths.cert, "is missing", { remedy });
  if (!key) throw new PkiError(paths.key, "is missing", { remedy });
  const signer = trusted.certificates.find((one) => one.checkPrivateKey(key.key));
  if (!signer) throw new PkiError(paths.cert, `does not belong to ${paths.key}`, { remedy });
  const subject = { commonName, organizations: [] };
  if (!isOwn(signer, subject))
    throw new PkiError(paths.cert, "was made elsewhere", {
      remedy: "replace it there, and add its successor to the file before it is used",
    });
  // The owner of the cluster may trust other authorities, too: those stay.
  const others = trusted.certificates.filter((one) => one !== signer && isOwn(one, subject));
  const ofNext = next && others.find((one) => one.checkPrivateKey(next.key));
  const previous = others.find((one) => one !== ofNext);
  const isSigning = next !== undefined && signer.checkPrivateKey(next.key);
  return {
    name: file,
    signer,
    next: isSigning ? undefined : ofNext,
    previous,
    stage: isSigning ? "issuing" : ofNext ? "trusted" : previous ? "issued" : "none",
  };
}

/**
 * Does the next step of an authority's rotation. Each write leaves a state that is complete, from which the next call
 * goes on: another authority is trusted, then it signs, then the previous one is dropped.
 */
export async function rotateAuthority(
  dir: string,
  authority: AuthorityName,
  now: Date,
): Promise<AuthorityState> {
  const { file, commonName } = authority;
  const paths = pathsOf(dir, file);
  const { stage, previous } = await readAuthority(dir, authority);
  if (stage === "none") {
    const remedy = `remove ${paths.next} to begin the rotation anew`;
    // A call that was killed may have made the key already.
    const { key } = (await loadKey(paths.next, remedy)) ?? (await makeKey(paths.next));
    const pem = issueAuthority(key, { commonName, organizations: [] }, now);
    await writePrivateFile(paths.cert, `${await trustedPem(paths.cert)}${pem}`);
  }
  if (stage === "trusted") {
    // From this write on the other certificate of the file signs.
    await writePrivateFile(paths.key, (await readIfPresent(paths.next)) ?? "");
  }
  if (stage === "trusted" || stage === "issuing") {
    const remedy = "restore it from a backup";
    const key = await loadKey(paths.key, remedy);
    // Programs that read the file themselves take the first certificate for that of the key.
    const all = certificatesIn(await trustedPem(paths.cert));
    const isOfKey = (one: X509Certificate): boolean =>
      key !== undefined && one.checkPrivateKey(key.key);
    const sorted = [...all.filter(isOfKey), ...all.filter((one) => !isOfKey(one))];
    await writePrivateFile(paths.cert, pemOf(sorted));
    await rm(paths.next);
  }
  if (stage === "issued" && previous) {
    const kept = certificatesIn(await trustedPem(paths.cert)).filter(
      (one) => one.fingerprint256 !== previous.fingerprint256,
    );
    await writePrivateFile(paths.cert, pemOf(kept));
  }
  return readAuthority(dir, authority);
}

const trustedPem = async (path: string): Promise<string> =>
  ((await readIfPresent(path)) ?? "").replace(/\n*$/, "\n");

/** The files of an authority; that of the next key exists only until that key signs. */
const pathsOf = (dir: string, file: string) => ({
  cert: join(dir, `${file}.crt`),
  key: join(dir, `${file}.key`),
  next: join(dir, `${file}-next.key`),
});
