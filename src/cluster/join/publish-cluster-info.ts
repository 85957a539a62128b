import { clusterInfo, clusterInfoKubeconfig } from "../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Client } from "../../client/client.ts";
import { entriesOf } from "../../kubeconfig/kubeconfig.ts";
import { formatKubeconfig, parseKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";

/** How other machines reach the API server. */
export interface ClusterAddress {
  /** The URL of the server. */
  readonly server: string;
  /** The CA certificates of the server, PEM. */
  readonly ca: string;
  /** The name in the server's certificate, if it is not the host of the URL. */
  readonly serverName?: string | undefined;
}

/** Writes the address of the cluster to the ConfigMap from which new nodes learn it. */
export async function publishClusterInfo(client: Client, address: ClusterAddress): Promise<void> {
  const data = { [clusterInfoKubeconfig]: clusterInfoText(address) };
  const how = { fieldManager: "wherry", force: true };
  await client.apply(ConfigMap, { metadata: { ...clusterInfo }, data }, how);
}

/** The address in the kubeconfig of cluster-info; undefined if it has none. */
export function addressIn(kubeconfig: string): ClusterAddress | undefined {
  const [cluster] = entriesOf(parseKubeconfig(kubeconfig), "clusters").values();
  if (!cluster?.server) return undefined;
  return {
    server: cluster.server,
    ca: Buffer.from(cluster["certificate-authority-data"] ?? "", "base64").toString("utf8"),
    serverName: cluster["tls-server-name"] || undefined,
  };
}

/** A kubeconfig with one cluster without a name, and no user. */
function clusterInfoText({ server, ca, serverName }: ClusterAddress): string {
  const cluster = {
    "certificate-authority-data": Buffer.from(ca).toString("base64"),
    server,
    ...(serverName !== undefined && { "tls-server-name": serverName }),
  };
  return formatKubeconfig({ clusters: [{ name: "", cluster }] });
}
