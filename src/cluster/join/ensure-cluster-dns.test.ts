import { expect, onTestFinished, test } from "vitest";
import { Service } from "../../api/core/v1/service/service.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { ensureClusterDns } from "./ensure-cluster-dns.ts";

async function start() {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  onTestFinished(cluster.close);
  return cluster.client;
}

const key = { namespace: "kube-system", name: "kube-dns" };

test("ensureClusterDns: the service is kubeadm's, at the tenth address, and is created once", async () => {
  const client = await start();
  expect(await ensureClusterDns(client)).toEqual(["10.0.0.10"]);
  const service = await client.get(Service, key);
  expect(service.metadata.labels).toEqual({
    "k8s-app": "kube-dns",
    "kubernetes.io/cluster-service": "true",
    "kubernetes.io/name": "CoreDNS",
  });
  expect(
    service.spec.ports?.map(({ name, port, protocol }) => `${name} ${port}/${protocol}`),
  ).toEqual(["dns 53/UDP", "dns-tcp 53/TCP", "metrics 9153/TCP"]);
  expect(await ensureClusterDns(client)).toEqual(["10.0.0.10"]);
  expect((await client.get(Service, key)).metadata.resourceVersion).toBe(
    service.metadata.resourceVersion,
  );
});

test("ensureClusterDns: another address if the tenth is taken", async () => {
  const client = await start();
  const ports = [{ port: 80 }];
  await client.create(Service, {
    metadata: { name: "web" },
    spec: { clusterIP: "10.0.0.10", ports },
  });
  const [address] = await ensureClusterDns(client);
  expect(address).toMatch(/^10\.0\.0\./);
  expect(address).not.toBe("10.0.0.10");
});

test("ensureClusterDns: a service that is there is used as it is", async () => {
  const client = await start();
  const spec = { clusterIP: "10.0.0.2", ports: [{ name: "dns", port: 53, protocol: "UDP" }] };
  await client.create(Service, { metadata: key, spec });
  expect(await ensureClusterDns(client)).toEqual(["10.0.0.2"]);
});
