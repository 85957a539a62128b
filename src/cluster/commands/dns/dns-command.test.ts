import { Resolver } from "node:dns/promises";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { freePort, startWherry } from "../../../../test/support/wherry-process.test-support.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { startJoiningServer } from "../../join/joining-server.test-support.ts";
import { dnsProblems } from "./dns-command.ts";

test("dns: follows a cluster within a second, and answers while its API server is away", async () => {
  const { server, client } = await startJoiningServer();
  const metricsPort = await freePort();
  const dns = startWherry([
    ...["dns", "--kubeconfig", server.kubeconfig, "--port", "0", "--resolv-conf", ""],
    ...["--metrics-port", `${metricsPort}`],
  ]);
  const [, port] = await dns.until(/listening on 127\.0\.0\.1:(\d+)[\s\S]*ready\n/);
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const look = (name: string) =>
    resolver.resolve4(`${name}.svc.cluster.local`).then(
      (found) => found.sort().join(),
      (error: { code: string }) => error.code,
    );
  expect(await look("kubernetes.default")).toBe("10.0.0.1");
  expect(await look("kube-dns.kube-system")).toBe("10.0.0.10");
  expect(await look("db.default")).toBe("ENOTFOUND");

  const metadata = { namespace: "default", name: "db" };
  await client.create(Service, { metadata, spec: { clusterIP: "None", ports: [{ port: 5432 }] } });
  const slice = {
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "db" } },
    ...{ addressType: "IPv4", ports: [{ port: 5432 }] },
    endpoints: [{ addresses: ["10.1.0.1"] }, { addresses: ["10.1.0.2"] }],
  };
  await client.create(EndpointSlice, slice);
  const soon = { timeout: 1000, interval: 20 };
  await expect.poll(() => look("db.default"), soon).toBe("10.1.0.1,10.1.0.2");
  const endpoints = [
    { addresses: ["10.1.0.2"] },
    { addresses: ["10.1.0.3"], conditions: { ready: false } },
  ];
  await client.patch(EndpointSlice, metadata, { merge: { endpoints } });
  await expect.poll(() => look("db.default"), soon).toBe("10.1.0.2");

  await server.close();
  expect(await look("db.default")).toBe("10.1.0.2");
  expect(await look("absent.default")).toBe("ENOTFOUND");
  expect(await page(metricsPort, "/ready")).toBe("200 OK");
  expect(await page(metricsPort, "/metrics")).toContain(
    'coredns_dns_responses_total{plugin="kubernetes",rcode="NOERROR",server="dns://:53",view="",zone="cluster.local."}',
  );
  expect((await dns.end()).code).toBe(0);
}, 60_000);

const page = (port: number, path: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path }, (response) => {
      text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject);
    })
      .on("error", reject)
      .end();
  });

test("dns: values of flags are checked", () => {
  const flags = { address: ["127.0.0.1", "::1"], port: 53, "metrics-port": 0, ttl: 30 };
  expect(dnsProblems({ ...flags, "cluster-domain": "cluster.local" })).toEqual([]);
  expect(
    dnsProblems({
      ...{ address: ["localhost"], port: -1, "metrics-port": 65_536, ttl: 4000 },
      "cluster-domain": "a..b",
    }),
  ).toEqual([
    '--address: "localhost" is not an IP address',
    "--port must be between 0 and 65535",
    "--metrics-port must be between 0 and 65535",
    '--cluster-domain: "a..b" is not a name of a domain',
    "--ttl must be between 0 and 3600",
  ]);
});
