import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { SeededRandom } from "../../../base/random.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { ClusterRecords } from "../cluster/cluster-records.ts";
import { createForwarder, type ForwarderOptions } from "../forward/forwarder.ts";
import { decodeMessage } from "../message/decode-message.ts";
import { nameIn } from "../message/dns-message.test-support.ts";
import type { DnsMessage } from "../message/dns-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { frameOf, MessageFrames } from "../message/message-frames.ts";
import { answerQuery } from "./answer-query.ts";
import { dnsMetrics } from "./dns-metrics.ts";
import { type DnsLimits, type ServeDnsOptions, serveDns } from "./serve-dns.ts";

export interface TestDnsOptions extends Partial<Pick<ForwarderOptions, "isOwn" | "maxInFlight">> {
  readonly records?: ClusterRecords;
  readonly isSynced?: () => boolean;
  /** The ports of name servers on the loopback to which it forwards. */
  readonly forwardTo?: () => readonly number[];
  readonly limits?: Partial<DnsLimits>;
}

/** Starts a DNS server for the domain cluster.local on the loopback, until the test ends. */
export async function startTestDns(options: TestDnsOptions = {}) {
  const { records = new ClusterRecords(() => 0), forwardTo = () => [] } = options;
  const registry = new MetricsRegistry();
  const metrics = dnsMetrics(registry);
  const random = new SeededRandom(1);
  const forwarder = createForwarder({
    servers: async () => forwardTo().map((port) => ({ address: "127.0.0.1", port })),
    ...{ isOwn: options.isOwn ?? (() => false), maxInFlight: options.maxInFlight },
    ...{ clock: realClock, random, log: noLog, metrics },
  });
  const zone = {
    ...{ name: nameIn("cluster.local"), ttl: 30 },
    servers: [Uint8Array.of(10, 0, 0, 10)],
  };
  const sources = { records, zone, forwarder, random, isSynced: options.isSynced ?? (() => true) };
  const { port } = await listen({
    limits: options.limits,
    async answer(query) {
      return (await answerQuery(query, sources)).response;
    },
  });
  onTestFinished(forwarder.close);
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return { port, resolver, records, metrics: () => registry.text() };
}

/** Starts a name server with a test's own answers on the loopback, until the test ends. */
export async function startNameServer(answer: ServeDnsOptions["answer"]) {
  const asked: string[] = [];
  const { port } = await listen({
    answer(query, client) {
      asked.push(`${client.protocol} ${query.questions[0]?.name.slice(1, -1)}`);
      return answer(query, client);
    },
  });
  return { port, asked };
}

async function listen(options: Pick<ServeDnsOptions, "answer" | "limits">) {
  const server = await serveDns({ address: "127.0.0.1", port: 0, log: noLog, ...options });
  onTestFinished(server.close);
  return server;
}

/** Sends bytes over UDP; resolves with the response, or with undefined after a while. */
export function exchangeUdp(
  port: number,
  bytes: Uint8Array,
  waitMs = 2000,
): Promise<DnsMessage | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createSocket("udp4");
    const timer = setTimeout(() => end(undefined), waitMs);
    const end = (message: DnsMessage | undefined): void => {
      clearTimeout(timer);
      socket.close();
      resolve(message);
    };
    socket.on("error", reject);
    socket.on("message", (response) => {
      if (response.subarray(0, 2).equals(bytes.subarray(0, 2))) end(decodeMessage(response));
    });
    socket.send(bytes, port, "127.0.0.1");
  });
}

/** Opens a TCP connection; `next` resolves with the next message, or with undefined at its end. */
export function openTcp(port: number) {
  const socket = connect(port, "127.0.0.1");
  const frames = new MessageFrames();
  const messages: (DnsMessage | undefined)[] = [];
  const waiting: ((message: DnsMessage | undefined) => void)[] = [];
  let isOver = false;
  const settle = (): void => {
    while (waiting.length > 0 && (messages.length > 0 || isOver))
      waiting.shift()?.(messages.shift());
  };
  socket.on("error", () => {});
  socket.on("close", () => {
    isOver = true;
    settle();
  });
  socket.on("data", (bytes) => {
    messages.push(...frames.push(bytes).map((one) => decodeMessage(one)));
    settle();
  });
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    send: (...queries: readonly DnsMessage[]) =>
      socket.write(Buffer.concat(queries.map((query) => frameOf(encodeMessage(query))))),
    next: () =>
      new Promise<DnsMessage | undefined>((resolve) => {
        waiting.push(resolve);
        settle();
      }),
  };
}
