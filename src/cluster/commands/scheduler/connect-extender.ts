import { contextConnection } from "../../../kubeconfig/context-connection.ts";
import { httpsTransport } from "../../../kubeconfig/https-transport.ts";
import type { Extender } from "../../../scheduler/configuration/scheduler-configuration.ts";
import type { ExtenderTransport } from "../../../scheduler/extenders/extender.ts";

/**
 * Connects to an extender over HTTP or HTTPS, as its TLS settings say. As in upstream, an extender with
 * HTTPS and without certificate authorities is not verified.
 */
export function connectExtender({
  urlPrefix,
  enableHTTPS = false,
  tlsConfig = {},
}: Extender): ExtenderTransport {
  const hasAuthorities = Boolean(tlsConfig.caFile || tlsConfig.caData);
  const cluster = {
    server: urlPrefix.replace(/\/+$/, ""),
    "certificate-authority": tlsConfig.caFile,
    "certificate-authority-data": tlsConfig.caData,
    "insecure-skip-tls-verify": tlsConfig.insecure || (enableHTTPS && !hasAuthorities),
    "tls-server-name": tlsConfig.serverName,
  };
  const user = {
    "client-certificate": tlsConfig.certFile,
    "client-certificate-data": tlsConfig.certData,
    "client-key": tlsConfig.keyFile,
    "client-key-data": tlsConfig.keyData,
  };
  return httpsTransport(contextConnection({ cluster, user }));
}
