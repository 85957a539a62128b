import { join } from "node:path";
import { signers } from "../../../api/certificates/signers.ts";
import type { Listener } from "../../../apiserver/http/listen.ts";
import type { ApiServer } from "../../../apiserver/server.ts";
import type { Log } from "../../../base/log.ts";
import type { CertificateSigners } from "../../../controllers/csrsigning/csr-signing-controller.ts";
import { readKeyPair } from "../../../platform/given-files.ts";
import { certificateSigner } from "../../../platform/pki/certificate-signer.ts";
import type { Pki } from "../../../platform/pki/pki.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { watchFiles } from "../../../platform/watch-files.ts";
import { followPki } from "../../serving/follow-pki.ts";
import { ownServing, servingFiles, servingTls } from "../../serving/serving.ts";
import type { StartOptions } from "./apiserver.ts";

/** By default the server calls kubelets and other API servers with certificates of the cluster's own authorities. */
export function withOwnTls(options: StartOptions, pki: Pki): StartOptions {
  const { kubeletClient, kubeletCa, ca, frontProxyClient } = pki;
  const { kubelet, aggregation } = options.core ?? {};
  const own = {
    clientCert: kubeletClient.cert,
    clientKey: kubeletClient.key,
    ...(options.verifiesKubelets && { ca: `${kubeletCa.cert}${ca.cert}` }),
  };
  const proxyClient = usesOwnProxyClient(options) ? { proxyClient: frontProxyClient } : {};
  return {
    ...options,
    core: {
      ...options.core,
      kubelet: { ...own, ...kubelet },
      aggregation: { ...proxyClient, ...aggregation },
    },
  };
}

/** Servers that trust another authority would reject it. */
const usesOwnProxyClient = ({ serving, core }: StartOptions): boolean =>
  !serving?.proxyCa && !core?.aggregation?.proxyClient;

/** Sign certificate requests with the authorities of the cluster. */
export function ownSigners({ ca, kubeletCa }: Pki): CertificateSigners {
  const ofCluster = certificateSigner(ca);
  return {
    [signers.client]: ofCluster,
    [signers.kubeletClient]: ofCluster,
    [signers.legacy]: ofCluster,
    [signers.kubeletServing]: certificateSigner(kubeletCa),
  };
}

/** A server that runs, and where its certificates are. */
export interface FollowedServer {
  /** The cluster's own certificates that are in use. */
  readonly pki: Pki;
  /** Loads them again, and renews those that are due. */
  readonly load: () => Promise<Pki>;
  readonly writeKubeconfig: (pki: Pki) => Promise<unknown>;
  readonly core: Pick<ApiServer, "renewKubeletClient" | "renewProxyClient">;
  readonly socket: Pick<Listener, "renew">;
  readonly log: Log;
}

/**
 * Renews the cluster's own certificates, and reloads those of flags when their files are replaced; if new ones are
 * invalid, the previous ones stay in use.
 */
export function followCertificates(
  options: StartOptions,
  { pki, load, writeKubeconfig, core, socket, log }: FollowedServer,
): { close(): void } {
  const { host, dir, serving = {}, proxyClient } = options;
  const clock = realClock;
  const failed = (what: string) => (error: unknown) => log.error(`reloading ${what} failed`, error);
  let inUse = pki;
  const renewServing = async (): Promise<void> =>
    socket.renew((await servingTls(serving, ownServing(inUse), { host, log })).tls);
  const apply = async (renewed: Pki): Promise<void> => {
    inUse = renewed;
    await renewServing();
    if (!options.core?.kubelet?.clientCert) core.renewKubeletClient(renewed.kubeletClient);
    if (usesOwnProxyClient(options)) core.renewProxyClient(renewed.frontProxyClient);
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
