import { expect, test } from "vitest";
import { someServices } from "../cluster/cluster-objects.test-support.ts";
import { ClusterRecords } from "../cluster/cluster-records.ts";
import { recordTypes, responseCodes } from "../message/dns-codes.ts";
import { queryOf } from "../message/dns-message.test-support.ts";
import type { DnsMessage, DnsRecord } from "../message/dns-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { addressRecord, soaRecord } from "../message/make-record.ts";
import { recordText } from "../message/record-text.test-support.ts";
import { exchangeUdp, startNameServer, startTestDns } from "../serve/test-dns.test-support.ts";

const { A, HINFO } = recordTypes;
const { NOERROR, FORMERR, SERVFAIL, NXDOMAIN, REFUSED } = responseCodes;

/** A response with the first 4-byte addresses for the name in question. */
const respond = (query: DnsMessage, count = 1, more: Partial<DnsMessage> = {}): DnsMessage => ({
  ...query,
  isResponse: true,
  answers: Array.from({ length: count }, (_, i): DnsRecord[] =>
    query.questions.map(({ name }) => addressRecord(name, 20, Uint8Array.of(192, 0, 2, i))),
  ).flat(),
  ...more,
});

const isProbe = ({ questions }: DnsMessage): boolean => questions[0]?.type === HINFO;

const ask = (port: number, name: string, more: Partial<DnsMessage> = {}) =>
  exchangeUdp(port, encodeMessage(queryOf(name, A, more)), 8000);

test("forwarder: names of others are forwarded once, and then come from the cache", async () => {
  const { port: upstream, asked } = await startNameServer((query) => respond(query));
  const { port, metrics } = await startTestDns({ forwardTo: () => [upstream] });
  const first = await ask(port, "www.example");
  expect(first).toMatchObject({ code: NOERROR, isAuthoritative: false });
  expect(first?.answers.map(recordText)).toEqual(["www.example. 20 A 192.0.2.0"]);
  const again = await ask(port, "WWW.example");
  expect(again?.answers[0]?.ttl).toBeGreaterThan(15);
  expect(again?.answers.map(recordText)[0]).toMatch(/^WWW\.example\. /);
  expect(asked.filter((one) => one.includes("www"))).toHaveLength(1);
  expect(metrics()).toContain(
    'coredns_cache_hits_total{server="dns://:53",type="success",view="",zones="."} 1',
  );
});

test("forwarder: an absent name is kept as its SOA says", async () => {
  const { port: upstream, asked } = await startNameServer((query) =>
    respond(query, 0, {
      code: NXDOMAIN,
      authorities: [soaRecord("\0", { ttl: 9, server: "\0", mailbox: "\0", serial: 1 })],
    }),
  );
  const { port } = await startTestDns({ forwardTo: () => [upstream] });
  for (let i = 0; i < 3; i++)
    expect(await ask(port, "gone.example")).toMatchObject({ code: NXDOMAIN, authorities: [{}] });
  expect(asked.filter((one) => one.includes("gone"))).toHaveLength(1);
});

test("forwarder: equal questions at the same time are one query", async () => {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { port: upstream, asked } = await startNameServer(async (query) => {
    await released;
    return respond(query);
  });
  const { port } = await startTestDns({ forwardTo: () => [upstream] });
  const asking = Array.from({ length: 20 }, () => ask(port, "www.example"));
  await expect.poll(() => asked.filter((one) => one.includes("www")).length).toBe(1);
  release();
  for (const response of await Promise.all(asking)) expect(response?.answers).toHaveLength(1);
  expect(asked.filter((one) => one.includes("www"))).toHaveLength(1);
});

test("forwarder: beyond the limit in flight, queries are refused", async () => {
  const { port: upstream } = await startNameServer(() => undefined);
  const { port } = await startTestDns({ forwardTo: () => [upstream], maxInFlight: 2 });
  const slow = ["one.example", "two.example"].map((name) => ask(port, name));
  expect(await ask(port, "three.example")).toMatchObject({ code: REFUSED });
  for (const response of await Promise.all(slow))
    expect(response).toMatchObject({ code: SERVFAIL });
});

test("forwarder: a truncated response is asked for again over TCP", async () => {
  const { port: upstream, asked } = await startNameServer((query) => respond(query, 200));
  const { port, resolver } = await startTestDns({ forwardTo: () => [upstream] });
  expect(await ask(port, "many.example")).toMatchObject({ isTruncated: true });
  expect(asked.filter((one) => one.includes("many"))).toEqual([
    "udp many\x07example",
    "tcp many\x07example",
  ]);
  expect(await resolver.resolve4("many.example")).toHaveLength(200);
});

test("forwarder: the next server is asked when one does not respond, or fails", async () => {
  const silent = await startNameServer(() => undefined);
  const failing = await startNameServer((query) => respond(query, 0, { code: SERVFAIL }));
  const good = await startNameServer((query) => respond(query));
  const { port } = await startTestDns({
    forwardTo: () => [silent.port, failing.port, good.port],
  });
  expect(await ask(port, "www.example")).toMatchObject({ code: NOERROR, answers: [{}] });
  // The silent one is set aside for a while.
  const began = performance.now();
  expect(await ask(port, "other.example")).toMatchObject({ code: NOERROR });
  expect(performance.now() - began).toBeLessThan(1000);
});

test("forwarder: a server without EDNS is asked without it", async () => {
  const { port: upstream } = await startNameServer((query) =>
    query.edns ? respond(query, 0, { code: FORMERR, edns: undefined }) : respond(query),
  );
  const { port } = await startTestDns({ forwardTo: () => [upstream] });
  expect(await ask(port, "www.example")).toMatchObject({ code: NOERROR, answers: [{}] });
});

test("forwarder: responses that do not fit the query are ignored", async () => {
  const { port: upstream } = await startNameServer((query) =>
    respond(query, 1, { id: (query.id + 1) & 0xffff }),
  );
  const { port } = await startTestDns({ forwardTo: () => [upstream] });
  expect(await ask(port, "www.example")).toMatchObject({ code: SERVFAIL, answers: [] });
});

test("forwarder: an alias of the cluster to a name of others is resolved by others", async () => {
  const { port: upstream } = await startNameServer((query) => respond(query));
  const records = new ClusterRecords(() => 0);
  for (const service of someServices) records.setService(service);
  const { port } = await startTestDns({ records, forwardTo: () => [upstream] });
  const response = await ask(port, "out.default.svc.cluster.local");
  expect(response?.answers.map(recordText)).toEqual([
    "out.default.svc.cluster.local. 30 CNAME www.Example.com.",
    "www.Example.com. 20 A 192.0.2.0",
  ]);
});

test("forwarder: its own address is no server to forward to", async () => {
  let own = 0;
  const dns = await startTestDns({ forwardTo: () => [own], isOwn: ({ port }) => port === own });
  own = dns.port;
  expect(await ask(dns.port, "www.example")).toMatchObject({ code: SERVFAIL });
});

test("forwarder: a server that leads back is found, and used no more", async () => {
  let own = 0;
  let passed = 0;
  // A server between: it forwards what it gets to where it came from.
  const between = await startNameServer(async (query) => {
    passed++;
    return exchangeUdp(own, encodeMessage(query), 3000);
  });
  const good = await startNameServer((query) => respond(query, isProbe(query) ? 0 : 1));
  const dns = await startTestDns({ forwardTo: () => [between.port, good.port] });
  own = dns.port;
  await ask(dns.port, "first.example");
  const before = passed;
  expect(await ask(dns.port, "www.example")).toMatchObject({ code: NOERROR, answers: [{}] });
  expect(passed).toBe(before);
});
