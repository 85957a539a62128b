import type { Clock } from "../base/clock.ts";
import type { Credentials, Identity } from "./credentials.ts";
import { rereadFile } from "./reread-file.ts";

/** A bearer token in a file that may be replaced; `fallback` is used while the file has none. */
export function tokenFileCredentials(
  path: string,
  { clock, fallback }: { readonly clock: Clock; readonly fallback?: string | undefined },
): Credentials {
  const file = rereadFile(path, clock);
  let identity: Identity = fallback ? { authorization: `Bearer ${fallback}` } : {};
  const take = (text: string): Identity => {
    const token = text.trim();
    if (token === "" && identity.authorization === undefined)
      throw new Error(`read empty token from file ${JSON.stringify(path)}`);
    const authorization = `Bearer ${token}`;
    if (token !== "" && identity.authorization !== authorization) identity = { authorization };
    return identity;
  };
  const current = async (read: () => Promise<string>): Promise<Identity> => {
    try {
      return take(await read());
    } catch (fault) {
      if (identity.authorization !== undefined) return identity;
      throw fault;
    }
  };
  return {
    current: () => current(file.text),
    renew: async (refused) => (await current(file.refresh)) !== refused,
  };
}

/** A client certificate, its key, or both, in files that may be replaced. */
export function certificateFileCredentials(
  { cert, key }: { readonly cert: PemSource; readonly key: PemSource },
  clock: Clock,
): Credentials {
  const [readCert, readKey] = [cert, key].map((source) => pemReader(source, clock));
  let identity: Identity = {};
  return {
    async current() {
      const [certPem, keyPem] = await Promise.all([readCert?.(), readKey?.()]);
      if (certPem !== identity.cert || keyPem !== identity.key)
        identity = { cert: certPem, key: keyPem };
      return identity;
    },
    renew: async () => false,
  };
}

/** PEM text, or the path of a PEM file. */
export type PemSource = { readonly pem: string } | { readonly path: string };

/** Reads PEM from its source. */
export function pemReader(source: PemSource, clock: Clock): () => Promise<string> {
  if ("pem" in source) return async () => source.pem;
  return rereadFile(source.path, clock).text;
}
