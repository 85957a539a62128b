import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ServingTls } from "../../apiserver/http/listen.ts";
import type { Log } from "../../base/log.ts";
import { writePrivateFile } from "../../platform/files.ts";
import {
  type GivenFile,
  keyPairWarnings,
  readAuthorities,
  readKeyPair,
} from "../../platform/given-files.ts";
import type { KeyPair, Pki } from "../../platform/pki/pki.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import type { NamedCertificate } from "../flags/named-certificate.ts";
import type { TlsProtocol } from "../flags/tls-names.ts";
import { certificateByName, type NamedKeyPair } from "./sni.ts";

/** The options of serving; absent ones default to the cluster's own certificates. */
export interface ServingOptions {
  readonly certificate?: GivenPair;
  /** The directory of its certificate and key, which are created if missing; ignored with `certificate`. */
  readonly certDir?: string;
  readonly named?: readonly NamedCertificate[];
  /** CA certificates for clients, in addition to the cluster's own. */
  readonly clientCa?: GivenFile;
  /** CA certificates for front proxies, instead of the cluster's own. */
  readonly proxyCa?: GivenFile;
  readonly protocol?: TlsProtocol;
}

/**
 * The server name by which the administrator's kubeconfig requests the cluster's own certificate when
 * another one is served: upstream uses it for the same purpose.
 */
export const ownServerName = "apiserver-loopback-client";

interface GivenPair {
  readonly cert: GivenFile;
  readonly key: GivenFile;
}

/** Whether the cluster's own certificate is the default one. */
export const isOwn = ({ certificate, certDir }: ServingOptions): boolean =>
  certificate === undefined && certDir === undefined;

/** The files in use, which may change while the server runs. */
export function servingFiles(
  { certificate, certDir, named = [], clientCa, proxyCa }: ServingOptions,
  { fileName }: Pick<OwnServing, "fileName">,
): readonly string[] {
  const cert = certificate?.cert.path ?? (certDir && join(certDir, `${fileName}.crt`));
  const key = certificate?.key.path ?? (certDir && join(certDir, `${fileName}.key`));
  const others = named.flatMap(({ certFile, keyFile }) => [certFile, keyFile]);
  return [cert, key, clientCa?.path, proxyCa?.path, ...others].filter((path) => path !== undefined);
}

export interface Serving {
  readonly tls: ServingTls;
  /** All CA certificates for clients, as one PEM text. */
  readonly clientCa: string;
  /** All CA certificates for front proxies; empty for none. */
  readonly proxyCa: string;
}

/** The server's own certificate and CA. */
export interface OwnServing {
  readonly pair: KeyPair;
  /** The name of its files in `certDir`, without extension. */
  readonly fileName: string;
  /** The server name for which it is used beside another certificate; absent for none. */
  readonly serverName?: string | undefined;
  /** CA certificates for clients, PEM. */
  readonly authorities: readonly string[];
  /** CA certificates for front proxies, PEM; empty or absent for none. */
  readonly proxyAuthorities?: string | undefined;
}

/** The own certificate of a cluster's API server. */
export const ownServing = ({ apiserver, ca, frontProxyCa }: Pki): OwnServing => ({
  pair: apiserver,
  fileName: "apiserver",
  serverName: ownServerName,
  authorities: [ca.cert],
  proxyAuthorities: frontProxyCa.cert,
});

/** Loads all certificates; the error for an unusable file names it and its flag. */
export async function servingTls(
  options: ServingOptions,
  own: OwnServing,
  { host, log }: { readonly host: string; readonly log: Log },
): Promise<Serving> {
  const { certDir, named = [], clientCa, protocol } = options;
  const certificate = options.certificate ?? (certDir && (await filesIn(certDir, own)));
  const { pair, serverName, authorities } = own;
  const byOwnName: NamedKeyPair[] =
    certificate && serverName !== undefined ? [{ ...pair, names: [serverName] }] : [];
  const usual = certificate ? await load(certificate, log) : pair;
  const others = await Promise.all(named.map((one) => loadNamed(one, log)));
  const all = [...byOwnName, ...others];
  const ca = [...authorities, ...(clientCa ? [await readAuthorities(clientCa)] : [])];
  const clients = joined(ca);
  const proxyCa = options.proxyCa
    ? await readAuthorities(options.proxyCa)
    : (own.proxyAuthorities ?? "");
  const shared = {
    ca: proxyCa === "" ? ca : [...ca, proxyCa],
    ...(proxyCa !== "" && { proxyAuthorities: { proxies: proxyCa, clients } }),
    ...protocol,
  };
  // A client that connects by address sends no server name.
  const { cert, key } = all.find(({ names }) => names.includes(host)) ?? usual;
  const byName = all.length > 0 && { SNICallback: certificateByName(usual, all, shared) };
  return {
    tls: { ...shared, cert, key, ...byName },
    clientCa: clients,
    proxyCa,
  };
}

const joined = (pems: readonly string[]): string =>
  pems.map((pem) => pem.replace(/\n*$/, "\n")).join("");

/** The certificate and key of a directory; if it has neither, the server's own are written there. */
async function filesIn(dir: string, { pair, fileName }: OwnServing): Promise<GivenPair> {
  const flag = "cert-dir";
  const cert = { flag, path: join(dir, `${fileName}.crt`) };
  const key = { flag, path: join(dir, `${fileName}.key`) };
  const present = await Promise.all([readIfPresent(cert.path), readIfPresent(key.path)]);
  if (present.every((text) => text === undefined)) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writePrivateFile(cert.path, pair.cert);
    await writePrivateFile(key.path, pair.key);
  }
  return { cert, key };
}

async function loadNamed(
  { certFile, keyFile, names }: NamedCertificate,
  log: Log,
): Promise<NamedKeyPair> {
  const flag = "tls-sni-cert-key";
  const files = { cert: { flag, path: certFile }, key: { flag, path: keyFile } };
  return { ...(await load(files, log)), names };
}

async function load({ cert, key }: GivenPair, log: Log): Promise<KeyPair> {
  const pair = await readKeyPair(cert, key);
  for (const warning of await keyPairWarnings(pair, { keyPath: key.path, now: new Date() }))
    log.warn("serving certificate warning", { file: cert.path, warning });
  return pair;
}
