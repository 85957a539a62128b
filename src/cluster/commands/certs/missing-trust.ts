import type { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { clusterInfo, clusterInfoKubeconfig } from "../../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import type { Client } from "../../../client/client.ts";
import { certificatesIn } from "../../../platform/pki/pem-certificates.ts";
import { readIfPresent } from "../../../platform/pki/pki-files.ts";
import { addressIn } from "../../join/publish-cluster-info.ts";
import { runningBoxes } from "../../node/node-boxes.ts";

/** Where authorities are to be trusted before they sign; each by the name of its file. */
export type NextAuthorities = Readonly<Record<string, X509Certificate>>;

const published = "extension-apiserver-authentication";

/** Where the next authorities are not trusted yet, in words; empty if they can sign. */
export async function missingTrust(
  dataDir: string,
  { ca, "front-proxy-ca": proxyCa }: NextAuthorities,
  client: Client | undefined,
): Promise<readonly string[]> {
  const missing: string[] = [];
  const expect = (where: string, pem: string | undefined, wanted: X509Certificate): void => {
    if (pem !== undefined && !holds(pem, wanted)) missing.push(where);
  };
  if (ca) {
    for (const { name, root } of await runningBoxes(dataDir)) {
      const path = join(root, "var/lib/kubelet/pki/ca.crt");
      expect(`the node ${name}`, await readIfPresent(path), ca);
    }
  }
  if (!client) return missing;
  const { items } = await client.list(ConfigMap, { namespace: "" });
  for (const { metadata, data = {} } of items) {
    const { namespace = "", name = "" } = metadata;
    const where = `the ConfigMap ${namespace}/${name}`;
    if (ca && name === "kube-root-ca.crt") expect(where, data["ca.crt"], ca);
    if (ca && namespace === clusterInfo.namespace && name === clusterInfo.name)
      expect(where, addressIn(data[clusterInfoKubeconfig] ?? "")?.ca, ca);
    if (namespace !== "kube-system" || name !== published) continue;
    if (ca) expect(where, data["client-ca-file"], ca);
    if (proxyCa) expect(where, data["requestheader-client-ca-file"], proxyCa);
  }
  return missing;
}

const holds = (pem: string, { fingerprint256 }: X509Certificate): boolean =>
  certificatesIn(pem).some((one) => one.fingerprint256 === fingerprint256);
