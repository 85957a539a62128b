import { X509Certificate } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";
import { createClient } from "../../client/client.ts";
import { contextConnection } from "../../kubeconfig/context-connection.ts";
import type { Credentials, Identity } from "../../kubeconfig/credentials.ts";
import { followKubeconfig } from "../../kubeconfig/follow-kubeconfig.ts";
import {
  type HttpsTransport,
  type HttpsTransportOptions,
  httpsTransport,
} from "../../kubeconfig/https-transport.ts";
import type { Cluster } from "../../kubeconfig/kubeconfig.ts";
import { loadKubeconfig, resolvedKubeconfig } from "../../kubeconfig/load-kubeconfig.ts";
import { formatKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { chosenContext } from "../../kubeconfig/validate-kubeconfig.ts";
import { openClientCertificate } from "../../kubelet/host/certificates/open-client-certificate.ts";
import { writePrivateFile } from "../../platform/files.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";

export interface NodeConnectionOptions {
  /** The path of the node's kubeconfig, which is written when the node joins. */
  readonly kubeconfig: string;
  /** The path of a kubeconfig with the credentials of a machine that joins; undefined for none. */
  readonly bootstrapKubeconfig?: string | undefined;
  /** The directory of the node's certificates and keys. */
  readonly certDir: string;
  readonly nodeName: string;
  /** Whether the client certificate is replaced before it expires. */
  readonly rotates: boolean;
  readonly userAgent?: string | undefined;
  readonly metrics?: Metrics | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Aborts the wait for the first certificate. */
  readonly signal: AbortSignal;
}

/** How a node calls the API server. */
export interface NodeConnection {
  /** The options of transports; their client certificate is always the current one. */
  readonly connection: HttpsTransportOptions;
  close(): Promise<void>;
}

/**
 * Opens the connection of a node: with its kubeconfig if that is still valid, else it requests a client
 * certificate with the credentials of a machine that joins, and writes a kubeconfig that refers to it.
 */
export async function openNodeConnection(options: NodeConnectionOptions): Promise<NodeConnection> {
  const { kubeconfig, bootstrapKubeconfig, rotates, clock, log } = options;
  const own = await validConfig(kubeconfig, { clock, log });
  // A kubeconfig with a token, or one whose certificate others replace, is used as it is.
  // The server is near and sends many objects: compression would cost more than it saves.
  const how = { userAgent: options.userAgent, compression: false };
  if (own && (!own.pair || !rotates))
    return {
      connection: { ...(await followKubeconfig({ path: kubeconfig, clock })), ...how },
      close: async () => {},
    };
  const joining = own || !bootstrapKubeconfig ? undefined : await readConfig(bootstrapKubeconfig);
  const used = own ?? joining;
  if (!used)
    throw new Error(
      `${kubeconfig} has no valid credentials: give a bootstrap kubeconfig, or join the cluster again`,
    );
  const transports: HttpsTransport[] = [];
  const clientOver = (connection: HttpsTransportOptions) => {
    const transport = httpsTransport(connection);
    transports.push(transport);
    return createClient(transport, { clock });
  };
  try {
    // Known once there is a certificate, before a transport asks for it.
    let currentPair: () => KeyPair | undefined = () => undefined;
    const credentials = pairCredentials(() => currentPair());
    const connection = { ...used.connection, ...how, credentials };
    const certificate = await openClientCertificate({
      ...options,
      initial: own?.pair,
      bootstrapClient: joining && clientOver(joining.connection),
      clientWith(current) {
        currentPair = current;
        return clientOver(connection);
      },
    });
    if (joining) await writeNodeKubeconfig(kubeconfig, joining.cluster, certificate.path);
    return {
      connection,
      async close() {
        await certificate.close();
        for (const transport of transports) transport.close();
      },
    };
  } catch (error) {
    for (const transport of transports) transport.close();
    throw error;
  }
}

/** Credentials that are always the current pair. */
function pairCredentials(current: () => KeyPair | undefined): Credentials {
  let pair: KeyPair | undefined;
  let identity: Identity = {};
  return {
    async current() {
      const now = current();
      if (now !== pair) identity = { cert: now?.cert, key: now?.key };
      pair = now;
      return identity;
    },
    renew: async () => false,
  };
}

interface ReadConfig {
  readonly cluster: Cluster;
  readonly connection: HttpsTransportOptions;
}

async function readConfig(path: string): Promise<ReadConfig> {
  const chosen = await chosenContext(resolvedKubeconfig(await loadKubeconfig({ path })), undefined);
  return { cluster: chosen.cluster, connection: contextConnection(chosen) };
}

/** A kubeconfig that can be used, with its client certificate; undefined if there is none, or it has expired. */
async function validConfig(
  path: string,
  { clock, log }: Pick<NodeConnectionOptions, "clock" | "log">,
): Promise<(ReadConfig & { readonly pair: KeyPair | undefined }) | undefined> {
  if ((await readIfPresent(path)) === undefined) return undefined;
  try {
    const config = await readConfig(path);
    const { cert, key } = (await config.connection.credentials?.current()) ?? {};
    if (cert === undefined || key === undefined) return { ...config, pair: undefined };
    const { validTo } = new X509Certificate(cert);
    if (Date.parse(validTo) > clock.now()) return { ...config, pair: { cert, key } };
    log.warn("the client certificate of the kubeconfig has expired", { path, validTo });
  } catch (error) {
    log.warn("the kubeconfig cannot be used", { path, error: errorMessage(error) });
  }
  return undefined;
}

async function writeNodeKubeconfig(path: string, cluster: Cluster, pem: string): Promise<void> {
  const user = { "client-certificate": pem, "client-key": pem };
  const context = { cluster: "default-cluster", user: "default-auth", namespace: "default" };
  const config = {
    clusters: [{ name: "default-cluster", cluster }],
    users: [{ name: "default-auth", user }],
    contexts: [{ name: "default-context", context }],
    "current-context": "default-context",
  };
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writePrivateFile(path, formatKubeconfig(config));
}
