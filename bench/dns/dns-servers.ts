import { createSocket } from "node:dgram";
import { noLog } from "../../src/base/log.ts";
import { noMetrics } from "../../src/base/metrics.ts";
import { SeededRandom } from "../../src/base/random.ts";
import { serviceOf, sliceOf } from "../../src/network/dns/cluster/cluster-objects.test-support.ts";
import { ClusterRecords } from "../../src/network/dns/cluster/cluster-records.ts";
import { createForwarder } from "../../src/network/dns/forward/forwarder.ts";
import { parseName, rootName } from "../../src/network/dns/message/dns-name.ts";
import { answerQuery } from "../../src/network/dns/serve/answer-query.ts";
import { dnsMetrics } from "../../src/network/dns/serve/dns-metrics.ts";
import { serveDns } from "../../src/network/dns/serve/serve-dns.ts";
import { realClock } from "../../src/platform/real-clock.ts";

/** A UDP server that sends back what it gets: what Node itself costs. Resolves with its port. */
export function startEcho(): Promise<number> {
  const socket = createSocket("udp4");
  socket.on("message", (bytes, { port, address }) => socket.send(bytes, port, address));
  return new Promise((resolve) => {
    socket.bind(0, "127.0.0.1", () => resolve(socket.address().port));
  });
}

/** The DNS server with services, each with two endpoints; every hundredth is headless. */
export async function startDns(services: number): Promise<number> {
  const records = new ClusterRecords(() => Date.now());
  records.setNamespace("default");
  for (let i = 0; i < services; i++) {
    const clusterIP = i % 100 === 0 ? "None" : `10.${20 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}`;
    records.setService(serviceOf(`web-${i}`, { clusterIP, ports: [{ name: "http", port: 80 }] }));
    const ports = [{ name: "http", protocol: "TCP", port: 8080 }];
    const endpoints = [1, 2].map((n) => ({
      addresses: [`10.${100 + n}.${(i >> 8) & 255}.${i & 255}`],
    }));
    records.setSlice(sliceOf(`web-${i}`, endpoints, { ports }));
  }
  const random = new SeededRandom(1);
  const metrics = dnsMetrics(noMetrics);
  const sources = {
    ...{ records, random, isSynced: () => true },
    zone: { name: parseName("cluster.local") ?? rootName, servers: [], ttl: 30 },
    forwarder: createForwarder({
      ...{ servers: async () => [], isOwn: () => false },
      ...{ clock: realClock, random, log: noLog, metrics },
    }),
  };
  const { port } = await serveDns({
    ...{ address: "127.0.0.1", port: 0, log: noLog },
    answer(query) {
      const answering = answerQuery(query, sources);
      return answering instanceof Promise
        ? answering.then(({ response }) => response)
        : answering.response;
    },
  });
  return port;
}
