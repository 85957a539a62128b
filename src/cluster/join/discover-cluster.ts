import {
  type BootstrapToken,
  parseBootstrapToken,
} from "../../api/core/v1/bootstrap-token-secret.ts";
import { clusterInfo, clusterInfoKubeconfig } from "../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { type Clock, sleep, withDeadline } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../kubeconfig/https-transport.ts";
import type { Kubeconfig } from "../../kubeconfig/kubeconfig.ts";
import { pinProblem } from "./public-key-pin.ts";
import type { ClusterAddress } from "./publish-cluster-info.ts";
import { checkAuthorities, hasSignature, verifyClusterInfo } from "./verify-cluster-info.ts";

export interface DiscoveryOptions {
  /** The host and port of an API server, or its URL. */
  readonly server: string;
  /** A bootstrap token of the cluster. */
  readonly token: string;
  /**
   * Hashes of public keys (`sha256:HEX`), one of which the cluster's CA must have. Without any, everybody who
   * knows the token can pass for the cluster.
   */
  readonly caHashes: readonly string[];
  /** How long to wait for the server and its signature; five minutes if not given. */
  readonly timeoutMs?: number | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Learns how to reach and to trust a cluster, by kubeadm's protocol: the ConfigMap cluster-info is read
 * without verifying the server; its content counts if the token has signed it and its CA has a pinned key;
 * then it is read once more from a server that this CA verifies, and must be the same.
 */
export async function discoverCluster(options: DiscoveryOptions): Promise<ClusterAddress> {
  const { caHashes } = options;
  const token = parseBootstrapToken(options.token);
  if (!token) throw new Error('the bootstrap token was not of the form "[a-z0-9]{6}.[a-z0-9]{16}"');
  for (const hash of caHashes) {
    const problem = pinProblem(hash);
    if (problem) throw new Error(`invalid discovery token CA certificate hash: ${problem}`);
  }
  const server = options.server.includes("://") ? options.server : `https://${options.server}`;
  const first = await signedInfo({ server, insecure: true }, token, options);
  const address = verifyClusterInfo(first, token);
  const { ca, serverName } = address;
  checkAuthorities(ca, caHashes);
  if (caHashes.length > 0) {
    const authorities = async (): Promise<string> => ca;
    const second = await signedInfo({ server, authorities, serverName }, token, options);
    if (second[clusterInfoKubeconfig] !== first[clusterInfoKubeconfig])
      throw new Error(
        `the second kubeconfig from the ${clusterInfo.name} ConfigMap (using validated TLS) was different from the first`,
      );
  }
  return address;
}

/** A kubeconfig with which a machine joins a cluster. */
export function bootstrapKubeconfig(address: ClusterAddress, token: string): Kubeconfig {
  const { server, ca, serverName } = address;
  const cluster = {
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
    server,
    ...(serverName !== undefined && { "tls-server-name": serverName }),
  };
  const user = "tls-bootstrap-token-user";
  const context = { cluster: "kubernetes", user };
  return {
    clusters: [{ name: "kubernetes", cluster }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name: `${user}@kubernetes`, context }],
    "current-context": `${user}@kubernetes`,
  };
}

const retryMs = 5000;
const defaultTimeoutMs = 5 * 60_000;

/** Reads cluster-info until it has a signature by the token. */
async function signedInfo(
  connection: HttpsTransportOptions,
  token: BootstrapToken,
  { timeoutMs = defaultTimeoutMs, clock, log, signal }: DiscoveryOptions,
): Promise<Readonly<Record<string, string>>> {
  const transport = httpsTransport(connection);
  const client = createClient(transport, { clock });
  let fault: Error | undefined;
  try {
    return await withDeadline({ clock, ms: timeoutMs, signal }, async (ending) => {
      for (;;) {
        try {
          const { data = {} } = await client.get(ConfigMap, clusterInfo, { signal: ending });
          if (hasSignature(data, token)) return data;
          fault = new Error(
            `could not find a JWS signature in the ${clusterInfo.name} ConfigMap for token ID "${token.id}"`,
          );
        } catch (cause) {
          ending.throwIfAborted();
          fault = new Error(`failed to request the ${clusterInfo.name} ConfigMap`, { cause });
        }
        log.info("waiting for the cluster", { reason: errorMessage(fault) });
        await sleep(clock, retryMs, ending);
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    throw fault ?? error;
  } finally {
    transport.close();
  }
}
