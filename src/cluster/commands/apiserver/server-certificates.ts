import { join } from "node:path";
import { signers } from "../../../api/certificates/signers.ts";
import type { FrontProxies } from "../../../apiserver/authentication/front-proxy.ts";
import type { KubeletOptions } from "../../../apiserver/connect/kubelet-connection.ts";
import type { Listener } from "../../../apiserver/http/listen.ts";
import type { ApiServer } from "../../../apiserver/server.ts";
import type { CertificateSigner } from "../../../base/cryptography/certificate-signer.ts";
import type { Log } from "../../../base/log.ts";
import {
  type ChangingValue,
  settableValue,
} from "../../../controller-runtime/reconcile/changing-value.ts";
import type { CertificateSigners } from "../../../controllers/csrsigning/csr-signing-controller.ts";
import { readKeyPair } from "../../../platform/given-files.ts";
import { certificateSigner } from "../../../platform/pki/certificate-signer.ts";
import type { Pki } from "../../../platform/pki/pki.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { watchFiles } from "../../../platform/watch-files.ts";
import { followPki } from "../../serving/follow-pki.ts";
import { ownServing, servingFiles, servingTls } from "../../serving/serving.ts";
import type { StartOptions } from "./apiserver.ts";
import type { OpenedTokenIssuer } from "./token-issuer.ts";

/** By default the server calls kubelets and other API servers with certificates of the cluster's own authorities. */
export function withOwnTls(options: StartOptions, pki: Pki): StartOptions {
  const { frontProxyClient } = pki;
  const { kubelet, aggregation } = options.core ?? {};
  const proxyClient = usesOwnProxyClient(options) ? { proxyClient: frontProxyClient } : {};
  return {
    ...options,
    core: {
      ...options.core,
      kubelet: { ...kubelet, ...kubeletClientOf(options, pki) },
      aggregation: { ...proxyClient, ...aggregation },
    },
  };
}

/** What flags leave to the cluster's own certificates of how kubelets are called. */
function kubeletClientOf(
  { core = {}, verifiesKubelets }: StartOptions,
  { kubeletClient, kubeletCa, ca }: Pki,
): Pick<KubeletOptions, "ca" | "clientCert" | "clientKey"> {
  const { kubelet: given = {} } = core;
  const { cert: clientCert, key: clientKey } = kubeletClient;
  return {
    ...(given.clientCert === undefined && { clientCert }),
    ...(given.clientKey === undefined && { clientKey }),
    ...(verifiesKubelets && given.ca === undefined && { ca: `${kubeletCa.cert}${ca.cert}` }),
  };
}

/** Servers that trust another authority would reject it. */
const usesOwnProxyClient = ({ serving, core }: StartOptions): boolean =>
  !serving?.proxyCa && !core?.aggregation?.proxyClient;

/** What a server that runs tells its other parts of its certificates, which may change. */
export interface ChangingCertificates {
  /** All of the cluster's own. */
  readonly pki: ChangingValue<Pki>;
  /** The CA certificates by which clients verify the server; PEM. */
  readonly rootCa: ChangingValue<string>;
  /** Sign certificate requests, by the name of the signer, with the present authorities. */
  readonly signers: CertificateSigners;
  set(pki: Pki): void;
}

/** The certificates of a server, for its other parts. */
export function changingCertificates(pki: Pki): ChangingCertificates {
  const all = settableValue(pki);
  const rootCa = settableValue(pki.ca.cert);
  let current = signersOf(pki);
  const present = (of: "cluster" | "kubelets"): CertificateSigner => ({
    get notAfter() {
      return current[of].notAfter;
    },
    sign: (content) => current[of].sign(content),
  });
  const ofCluster = present("cluster");
  return {
    pki: all,
    rootCa,
    signers: {
      [signers.client]: ofCluster,
      [signers.kubeletClient]: ofCluster,
      [signers.legacy]: ofCluster,
      [signers.kubeletServing]: present("kubelets"),
    },
    set(renewed) {
      current = signersOf(renewed);
      rootCa.set(renewed.ca.cert);
      all.set(renewed);
    },
  };
}

const signersOf = ({ ca, kubeletCa }: Pki) => ({
  cluster: certificateSigner(ca),
  kubelets: certificateSigner(kubeletCa),
});

/** A server that runs, and where its certificates are. */
export interface FollowedServer {
  /** The cluster's own certificates that are in use. */
  readonly pki: Pki;
  /** Loads them again, and renews those that are due. */
  readonly load: () => Promise<Pki>;
  readonly writeKubeconfig: (pki: Pki) => Promise<unknown>;
  /** The front proxies that have certificates of the proxies' authorities. */
  readonly frontProxies: FrontProxies;
  readonly core: Pick<
    ApiServer,
    "renewKubeletClient" | "renewProxyClient" | "renewClusterAuthentication"
  >;
  readonly certificates: Pick<ChangingCertificates, "set">;
  readonly tokenIssuer: Pick<OpenedTokenIssuer, "renew">;
  readonly socket: Pick<Listener, "renew">;
  readonly log: Log;
}

/**
 * Renews the cluster's own certificates, and reloads those of flags when their files are replaced; if new ones are
 * invalid, the previous ones stay in use. Authorities are trusted by the server itself before it tells others of them.
 */
export function followCertificates(
  options: StartOptions,
  server: FollowedServer,
): { close(): void } {
  const { pki, load, writeKubeconfig, core, socket, log } = server;
  const { host, dir, serving = {}, proxyClient } = options;
  const clock = realClock;
  const failed = (what: string) => (error: unknown) => log.error(`reloading ${what} failed`, error);
  let inUse = pki;
  const renewServing = async (): Promise<void> => {
    const { tls, clientCa, proxyCa } = await servingTls(serving, ownServing(inUse), { host, log });
    socket.renew(tls);
    const requestHeader = { clientCa: proxyCa, ...server.frontProxies };
    core.renewClusterAuthentication({ clientCa, requestHeader });
  };
  const apply = async (renewed: Pki): Promise<void> => {
    inUse = renewed;
    await renewServing();
    core.renewKubeletClient(kubeletClientOf(options, renewed));
    if (usesOwnProxyClient(options)) core.renewProxyClient(renewed.frontProxyClient);
    server.tokenIssuer.renew(renewed);
    server.certificates.set(renewed);
    await writeKubeconfig(renewed);
  };
  const parts = [
    followPki({ pki, path: join(dir, "pki", "ca.crt"), load, apply, clock, log }),
    watchFiles(servingFiles(serving, ownServing(pki)), {
      clock,
      onChange: () => void renewServing().catch(failed("certificates")),
    }),
  ];
  if (proxyClient) {
    const { cert, key } = proxyClient;
    const renew = async (): Promise<void> => core.renewProxyClient(await readKeyPair(cert, key));
    const onChange = () => void renew().catch(failed("the proxy client certificate"));
    parts.push(watchFiles([cert.path, key.path], { clock, onChange }));
  }
  return {
    close() {
      for (const part of parts) part.close();
    },
  };
}
