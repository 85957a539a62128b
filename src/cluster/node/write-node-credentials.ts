import { join } from "node:path";
import { writePrivateFile } from "../../platform/files.ts";
import { ensureNodePki, type NodePki } from "../../platform/pki/pki.ts";
import { clientKubeconfig } from "../../platform/pki/pki-kubeconfig.ts";

export interface NodeCredentialsOptions {
  /** The folder of the node's kubelet. */
  readonly folder: string;
  readonly nodeName: string;
  /** The addresses of its kubelet. */
  readonly ips: readonly string[];
  /** The URL of the API server, as the node reaches it. */
  readonly server: string;
  /** The certificates of the authorities that the node trusts; PEM. */
  readonly ca: string;
  /** The folder with the authorities of the cluster. */
  readonly clusterPki: string;
  readonly lifetimeMs?: number | undefined;
}

/** Writes the credentials of a node into its folder, where its agent follows them; certificates that are valid stay. */
export async function writeNodeCredentials({
  folder,
  nodeName,
  ips,
  server,
  ca,
  clusterPki,
  lifetimeMs,
}: NodeCredentialsOptions): Promise<NodePki> {
  const pki = await ensureNodePki(join(folder, "pki"), clusterPki, {
    ...{ nodeName, ips, now: new Date(), lifetimeMs },
  });
  const user = `system:node:${nodeName}`;
  await writePrivateFile(
    join(folder, "kubeconfig"),
    clientKubeconfig({ server, ca, ...pki.client, user }),
  );
  await writePrivateFile(join(folder, "pki", "ca.crt"), ca);
  return pki;
}
