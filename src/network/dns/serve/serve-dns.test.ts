import { expect, test } from "vitest";
import {
  serviceOf,
  sliceOf,
  someServices,
  someSlices,
} from "../cluster/cluster-objects.test-support.ts";
import { ClusterRecords } from "../cluster/cluster-records.ts";
import { recordTypes, responseCodes } from "../message/dns-codes.ts";
import { nameIn, queryOf } from "../message/dns-message.test-support.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { recordText } from "../message/record-text.test-support.ts";
import { exchangeUdp, openTcp, startTestDns } from "./test-dns.test-support.ts";

const { A, AAAA, TXT, OPT, AXFR, IXFR, SRV } = recordTypes;
const { NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED, BADVERS } = responseCodes;

function clusterRecords(): ClusterRecords {
  const records = new ClusterRecords(() => 0);
  records.setNamespace("default");
  for (const service of someServices) records.setService(service);
  for (const slice of someSlices) records.setSlice(slice);
  return records;
}

const many = Array.from({ length: 300 }, (_, i) => `10.2.${i >> 8}.${i & 255}`);

test("serve: a resolver finds what the cluster has", async () => {
  const { resolver } = await startTestDns({ records: clusterRecords() });
  expect(await resolver.resolve4("web.default.svc.cluster.local", { ttl: true })).toEqual([
    { address: "10.0.0.20", ttl: 30 },
  ]);
  expect((await resolver.resolve4("db.default.svc.cluster.local")).sort()).toEqual([
    "10.1.0.2",
    "10.1.0.3",
  ]);
  expect(await resolver.resolve6("dual.default.svc.cluster.local")).toEqual(["fd00::21"]);
  expect(await resolver.resolveSrv("_http._tcp.web.default.svc.cluster.local")).toEqual([
    { name: "web.default.svc.cluster.local", port: 80, priority: 0, weight: 100 },
  ]);
  expect(await resolver.resolveTxt("dns-version.cluster.local")).toEqual([["1.1.0"]]);
  expect(await resolver.reverse("10.1.0.2")).toEqual(["db-0.db.default.svc.cluster.local"]);
  expect(await resolver.resolve4("inside.default.svc.cluster.local")).toEqual(["10.0.0.20"]);
  expect(await resolver.resolveSoa("cluster.local")).toMatchObject({
    nsname: "ns.dns.cluster.local",
    hostmaster: "hostmaster.cluster.local",
    minttl: 30,
  });
  const missing = resolver.resolve4("absent.default.svc.cluster.local");
  await expect(missing).rejects.toMatchObject({ code: "ENOTFOUND" });
  await expect(resolver.resolve6("web.default.svc.cluster.local")).rejects.toMatchObject({
    code: "ENODATA",
  });
});

test("serve: a response that does not fit is truncated, and whole over TCP", async () => {
  const records = clusterRecords();
  records.setService(serviceOf("many", { clusterIP: "None", ports: [{ port: 80 }] }));
  records.setSlice(
    sliceOf(
      "many",
      many.map((address) => ({ addresses: [address] })),
    ),
  );
  const { port, resolver } = await startTestDns({ records });
  const query = queryOf("many.default.svc.cluster.local", A);
  const small = await exchangeUdp(port, encodeMessage(query));
  expect(small).toMatchObject({ isTruncated: true, code: NOERROR });
  expect(encodeMessage(small ?? query).length).toBeLessThanOrEqual(512);
  const edns = { size: 65_535, version: 0, dnssecOk: false };
  const larger = await exchangeUdp(port, encodeMessage({ ...query, edns }));
  expect(larger?.isTruncated).toBe(true);
  expect(larger?.answers.length).toBe(73);
  // The resolver asks again over TCP by itself.
  const all = await resolver.resolve4("many.default.svc.cluster.local");
  expect([...all].sort()).toEqual([...many].sort());
  // Each time in another order.
  expect(await resolver.resolve4("many.default.svc.cluster.local")).not.toEqual(all);
});

test("serve: the case of a name is kept, and comes back in the response", async () => {
  const { port } = await startTestDns({ records: clusterRecords() });
  const response = await exchangeUdp(
    port,
    encodeMessage(queryOf("wEB.default.SVC.cluster.local", A)),
  );
  expect(response).toMatchObject({
    ...{ id: 4711, isResponse: true, isAuthoritative: true, recursionAvailable: true },
    questions: [{ name: nameIn("wEB.default.SVC.cluster.local") }],
    answers: [{ name: nameIn("wEB.default.SVC.cluster.local") }],
  });
});

test.each([
  ["an absent name", "absent.default.svc.cluster.local", NXDOMAIN],
  ["an absent type", "web.default.svc.cluster.local", NOERROR],
])("serve: %s comes with the zone's SOA", async (_, name, code) => {
  const { port } = await startTestDns({ records: clusterRecords() });
  const response = await exchangeUdp(port, encodeMessage(queryOf(name, AAAA)));
  expect(response).toMatchObject({ code, answers: [] });
  expect(response?.authorities.map(recordText)).toEqual([
    "cluster.local. 30 SOA ns.dns.cluster.local. hostmaster.cluster.local. 0 7200 1800 86400 30",
  ]);
});

test("serve: an alias within the cluster is followed, and circles end", async () => {
  const { port } = await startTestDns({ records: clusterRecords() });
  const ask = async (name: string) => {
    const response = await exchangeUdp(port, encodeMessage(queryOf(name, A)));
    return [response?.code, response?.answers.map(recordText)];
  };
  expect(await ask("inside.default.svc.cluster.local")).toEqual([
    NOERROR,
    [
      "inside.default.svc.cluster.local. 30 CNAME web.default.svc.cluster.local.",
      "web.default.svc.cluster.local. 30 A 10.0.0.20",
    ],
  ]);
  expect(await ask("lost.default.svc.cluster.local")).toEqual([
    NXDOMAIN,
    ["lost.default.svc.cluster.local. 30 CNAME absent.default.svc.cluster.local."],
  ]);
  expect(await ask("circle.default.svc.cluster.local")).toEqual([SERVFAIL, []]);
});

test("serve: until the cluster is known, nothing is said to be absent", async () => {
  let isSynced = false;
  const { port } = await startTestDns({ records: clusterRecords(), isSynced: () => isSynced });
  const codeOf = async (name: string) =>
    (await exchangeUdp(port, encodeMessage(queryOf(name, A))))?.code;
  expect(await codeOf("absent.default.svc.cluster.local")).toBe(SERVFAIL);
  expect(await codeOf("web.default.svc.cluster.local")).toBe(NOERROR);
  isSynced = true;
  expect(await codeOf("absent.default.svc.cluster.local")).toBe(NXDOMAIN);
});

const edns = { size: 1232, version: 1, dnssecOk: false };

test.each([
  ["another operation", queryOf("a", A, { opcode: 5 }), NOTIMP],
  ["no question", queryOf("a", A, { questions: [] }), FORMERR],
  [
    "two questions",
    queryOf("a", A, { questions: [...queryOf("a", A).questions, ...queryOf("b", A).questions] }),
    FORMERR,
  ],
  ["a version of EDNS to come", queryOf("a", A, { edns }), BADVERS],
  [
    "another class",
    queryOf("a", TXT, { questions: [{ name: nameIn("version.bind"), type: TXT, class: 3 }] }),
    REFUSED,
  ],
  ["a transfer", queryOf("cluster.local", AXFR), REFUSED],
  ["a transfer of changes", queryOf("cluster.local", IXFR), REFUSED],
  ["a question for EDNS", queryOf("a", OPT), FORMERR],
  ["a name of others without name servers", queryOf("example.com", A), SERVFAIL],
])("serve: %s", async (_, query, code) => {
  const { port } = await startTestDns();
  expect(await exchangeUdp(port, encodeMessage(query))).toMatchObject({
    id: 4711,
    code,
    answers: [],
  });
});

test("serve: malformed messages get an error or nothing, and cost no other client its service", async () => {
  const { port } = await startTestDns({ records: clusterRecords() });
  const query = encodeMessage(queryOf("web.default.svc.cluster.local", A));
  expect(await exchangeUdp(port, query.subarray(0, 20))).toMatchObject({ id: 4711, code: FORMERR });
  const response = encodeMessage(queryOf("web.default.svc.cluster.local", A, { isResponse: true }));
  for (const bytes of [
    response,
    query.subarray(0, 11),
    Buffer.alloc(0),
    Buffer.alloc(60_000, 0xff),
  ])
    expect(await exchangeUdp(port, bytes, 50)).toBeUndefined();
  const { next, socket } = openTcp(port);
  socket.write(Buffer.from([0, 3, 1, 2, 3]));
  expect(await next()).toBeUndefined();
  const other = openTcp(port);
  other.send(queryOf("web.default.svc.cluster.local", A));
  expect(await other.next()).toMatchObject({ code: NOERROR });
});

test("serve: many queries over one connection, which is closed when it is idle", async () => {
  const { port } = await startTestDns({
    records: clusterRecords(),
    limits: { idleMs: 200, pipelined: 4 },
  });
  const { send, next } = openTcp(port);
  const ids = Array.from({ length: 100 }, (_, id) => id);
  send(...ids.map((id) => queryOf("web.default.svc.cluster.local", SRV, { id })));
  const found: (number | undefined)[] = [];
  for (const _ of ids) found.push((await next())?.id);
  expect(found.sort((a = 0, b = 0) => a - b)).toEqual(ids);
  expect(await next()).toBeUndefined();
});

test("serve: connections beyond the limit are closed", async () => {
  const { port } = await startTestDns({ records: clusterRecords(), limits: { connections: 2 } });
  const query = queryOf("web.default.svc.cluster.local", A);
  const [one, two] = [openTcp(port), openTcp(port)];
  one.send(query);
  two.send(query);
  expect(await one.next()).toMatchObject({ code: NOERROR });
  expect(await two.next()).toMatchObject({ code: NOERROR });
  const three = openTcp(port);
  three.send(query);
  expect(await three.next()).toBeUndefined();
  // Over UDP it goes on.
  expect(await exchangeUdp(port, encodeMessage(query))).toMatchObject({ code: NOERROR });
});

test("serve: a client that ends its side still gets its responses", async () => {
  const { port } = await startTestDns({ records: clusterRecords() });
  const { send, next, socket } = openTcp(port);
  send(queryOf("web.default.svc.cluster.local", A));
  socket.end();
  expect(await next()).toMatchObject({ code: NOERROR });
  expect(await next()).toBeUndefined();
});
