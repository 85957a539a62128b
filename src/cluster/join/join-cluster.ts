import { mkdir, rm, writeFile } from "node:fs/promises";
import { Service } from "../../api/core/v1/service/service.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Log } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { formatKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { writePrivateFile } from "../../platform/files.ts";
import { readIfPresent } from "../../platform/pki/pki-files.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { type NodeConnection, openNodeConnection } from "../node/open-node-connection.ts";
import { bootstrapKubeconfig, discoverCluster } from "./discover-cluster.ts";
import { configurationText, joinedConfiguration, joinedFiles, usualDns } from "./joined-node.ts";

export interface JoinOptions {
  /** The host and port of the API server. */
  readonly server: string;
  readonly token: string;
  /** Hashes of the cluster's CA; empty to trust whoever knows the token. */
  readonly caHashes: readonly string[];
  readonly nodeName: string;
  /** The root directory of the kubelet, which gets the credentials and the configuration. */
  readonly rootDir: string;
  readonly hasSystemd: boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Machine = Pick<JoinOptions, "nodeName" | "rootDir" | "log" | "signal">;

/** Whether a machine has joined a cluster, with credentials that are still valid. */
export async function hasJoined(machine: Machine): Promise<boolean> {
  if ((await readIfPresent(joinedFiles(machine.rootDir).kubeconfig)) === undefined) return false;
  try {
    await (await connection(machine)).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a machine a node of a cluster: verifies the cluster, gets a client certificate with the token, and writes
 * what `wherry node` needs. The token is on disk only until there is a certificate.
 */
export async function joinCluster(options: JoinOptions): Promise<void> {
  const { rootDir, token, hasSystemd, signal } = options;
  const files = joinedFiles(rootDir);
  const address = await discoverCluster({ ...options, clock: realClock });
  await mkdir(files.certDir, { recursive: true, mode: 0o755 });
  await writeFile(files.ca, address.ca, { mode: 0o644 });
  // An earlier one is invalid, or of another cluster.
  await rm(files.kubeconfig, { force: true });
  const text = formatKubeconfig(bootstrapKubeconfig(address, token));
  await writePrivateFile(files.bootstrapKubeconfig, text);
  try {
    const node = await connection(options, files.bootstrapKubeconfig);
    try {
      if ((await readIfPresent(files.configuration)) !== undefined) return;
      const clusterDns = await dnsAddress(node, signal);
      const configuration = joinedConfiguration({ ca: files.ca, clusterDns, hasSystemd });
      await writePrivateFile(files.configuration, configurationText(configuration));
    } finally {
      await node.close();
    }
  } finally {
    await rm(files.bootstrapKubeconfig, { force: true });
  }
}

/** Connects as the node; with a bootstrap kubeconfig, it waits for a certificate. */
function connection(
  { nodeName, rootDir, log, signal }: Machine,
  bootstrap?: string,
): Promise<NodeConnection> {
  const { kubeconfig, certDir } = joinedFiles(rootDir);
  return openNodeConnection({
    ...{ kubeconfig, bootstrapKubeconfig: bootstrap, certDir, nodeName, rotates: false },
    ...{ clock: realClock, random: systemRandom, log, signal },
  });
}

/** The address of the cluster's DNS, or the one that it usually gets. */
async function dnsAddress({ connection: options }: NodeConnection, signal: AbortSignal) {
  const transport = httpsTransport(options);
  const client = createClient(transport, { clock: realClock });
  const addressOf = async (namespace: string, name: string): Promise<string | undefined> => {
    try {
      return (await client.get(Service, { namespace, name }, { signal })).spec.clusterIP;
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return undefined;
      throw error;
    }
  };
  try {
    const dns = await addressOf("kube-system", "kube-dns");
    return dns ?? usualDns((await addressOf("default", "kubernetes")) ?? "");
  } finally {
    transport.close();
  }
}
