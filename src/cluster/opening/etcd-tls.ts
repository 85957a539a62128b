import { readAuthorities, readKeyPair } from "../../platform/given-files.ts";

/** The certificates for connecting to etcd with TLS, as PEM. */
export interface EtcdTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Reads the files that flags name; undefined if they name none. */
export async function etcdTls(
  flags: Readonly<Record<"etcd-cafile" | "etcd-certfile" | "etcd-keyfile", string>>,
): Promise<EtcdTls | undefined> {
  const file = (flag: keyof typeof flags) => ({ flag, path: flags[flag] });
  const [ca, cert, key] = [file("etcd-cafile"), file("etcd-certfile"), file("etcd-keyfile")];
  if (ca.path === "" && cert.path === "") return undefined;
  return {
    ...(ca.path !== "" && { ca: await readAuthorities(ca) }),
    ...(cert.path !== "" && (await readKeyPair(cert, key))),
  };
}
