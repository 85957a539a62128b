import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { stringFlag, type Values } from "../../../cli/flag.ts";
import { type KeptCertificate, readCertificates } from "../../../platform/pki/kept-certificates.ts";
import { defaultName, knownRecord } from "../../up/cluster-record.ts";

/** Where the certificates are. */
export const certsFlags = {
  "data-dir": stringFlag({
    usage: "the data `DIR` of a cluster or API server (default: that of --cluster)",
  }),
  cluster: stringFlag({ usage: 'the `NAME` of a cluster of "wherry up"', default: defaultName }),
};

/** The certificates of a cluster, and their folder. */
export async function certificatesOf(
  flags: Values<typeof certsFlags>,
  now: Date,
): Promise<CertificatesFolder & { readonly certificates: readonly KeptCertificate[] }> {
  const folder = await certificatesFolder(flags);
  return { ...folder, certificates: await readCertificates(folder.dir, now) };
}

export interface CertificatesFolder {
  /** The data directory. */
  readonly dataDir: string;
  /** The folder of the certificates in it. */
  readonly dir: string;
}

/** The folder of the certificates of a cluster; throws if it has none. */
export async function certificatesFolder(
  flags: Values<typeof certsFlags>,
): Promise<CertificatesFolder> {
  const dataDir =
    flags["data-dir"] === ""
      ? (await knownRecord(flags.cluster)).dataDir
      : resolve(flags["data-dir"]);
  const dir = join(dataDir, "pki");
  if (!existsSync(join(dir, "ca.crt")))
    throw new Error(`there are no certificates in ${dir}: name a data directory with --data-dir`);
  return { dataDir, dir };
}
