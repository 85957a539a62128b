import { Service } from "../../api/core/v1/service/service.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { usualDns } from "./joined-node.ts";

const key = { namespace: "kube-system", name: "kube-dns" };

/**
 * Creates the service of the cluster's DNS as kubeadm does, with the tenth address of the range, or another one if that
 * is taken. It selects no pods: nodes serve it. Resolves with its addresses. One that exists is left as it is.
 */
export async function ensureClusterDns(client: Client): Promise<readonly string[]> {
  const found = await ignoreNotFound(client.get(Service, key));
  const { clusterIP = "", clusterIPs = [clusterIP] } = (found ?? (await create(client))).spec;
  return clusterIPs.filter((address) => address !== "" && address !== "None");
}

async function create(client: Client): Promise<Service> {
  const kubernetes = await client.get(Service, { namespace: "default", name: "kubernetes" });
  try {
    return await client.create(Service, clusterDns(usualDns(kubernetes.spec.clusterIP ?? "")));
  } catch (error) {
    // Another server was faster.
    if (StatusError.is(error, "AlreadyExists")) return client.get(Service, key);
    // The address is taken, or not in a small range.
    if (!StatusError.is(error, "Invalid")) throw error;
    return client.create(Service, clusterDns(undefined));
  }
}

const clusterDns = (clusterIP: string | undefined) => ({
  metadata: {
    ...key,
    labels: {
      "k8s-app": "kube-dns",
      "kubernetes.io/cluster-service": "true",
      "kubernetes.io/name": "CoreDNS",
    },
    annotations: { "prometheus.io/port": "9153", "prometheus.io/scrape": "true" },
  },
  spec: {
    ...(clusterIP !== undefined && { clusterIP }),
    ipFamilyPolicy: "PreferDualStack",
    ports: [
      { name: "dns", port: 53, protocol: "UDP", targetPort: 53 },
      { name: "dns-tcp", port: 53, protocol: "TCP", targetPort: 53 },
      { name: "metrics", port: 9153, protocol: "TCP", targetPort: 9153 },
    ],
  },
});
