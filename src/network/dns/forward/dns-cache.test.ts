import { expect, test } from "vitest";
import { recordTypes, responseCodes } from "../message/dns-codes.ts";
import { nameIn } from "../message/dns-message.test-support.ts";
import { addressRecord, soaRecord } from "../message/make-record.ts";
import { cacheSeconds, type DnsAnswer, DnsCache } from "./dns-cache.ts";

const { NOERROR, NXDOMAIN, REFUSED, SERVFAIL } = responseCodes;
const plain = { dnssecOk: false, checkingDisabled: false };
const question = (name: string, type: number = recordTypes.A) => ({
  name: nameIn(name),
  type,
  class: 1,
});
const address = (name: string, ttl: number) =>
  addressRecord(nameIn(name), ttl, Uint8Array.of(10, 0, 0, 1));
const soa = (ttl: number) =>
  soaRecord(nameIn("com"), { ttl, server: nameIn("ns.com"), mailbox: nameIn("me.com"), serial: 1 });
const answer = (more: Partial<DnsAnswer>): DnsAnswer => ({
  ...{ code: NOERROR, answers: [], authorities: [], additionals: [], authenticData: false },
  ...more,
});

test.each<readonly [string, Partial<DnsAnswer>, number]>([
  ["as long as its records", { answers: [address("a.com", 20), address("b.com", 10)] }, 10],
  ["at most half a minute", { answers: [address("a.com", 86_400)] }, 30],
  ["not at all without a time", { answers: [address("a.com", 0)] }, 0],
  ["an absent name as its SOA says", { code: NXDOMAIN, authorities: [soa(12)] }, 12],
  ["absent data as its SOA says", { authorities: [soa(9)] }, 9],
  ["absence without an SOA not at all", { code: NXDOMAIN }, 0],
  [
    "an alias to an absent name",
    { code: NXDOMAIN, answers: [address("a.com", 3)], authorities: [soa(9)] },
    3,
  ],
  ["a failure for a moment", { code: SERVFAIL }, 5],
  ["a rejection not at all", { code: REFUSED, answers: [address("a.com", 20)] }, 0],
])("cacheSeconds: %s", (_, more, seconds) => {
  expect(cacheSeconds(answer(more))).toBe(seconds);
});

test("DnsCache: times are counted down, and names are as they were asked", () => {
  let now = 0;
  const cache = new DnsCache({ ticks: () => now });
  cache.set(question("a.com"), plain, answer({ answers: [address("a.com", 10)] }));
  now = 3999;
  expect(cache.get(question("A.COM"), plain)?.answers).toMatchObject([
    { name: nameIn("A.COM"), ttl: 7 },
  ]);
  expect(cache.get(question("a.com", recordTypes.AAAA), plain)).toBeUndefined();
  expect(cache.get(question("a.com"), { ...plain, dnssecOk: true })).toBeUndefined();
  now = 10_000;
  expect(cache.get(question("a.com"), plain)).toBeUndefined();
  expect(cache.size).toBe(0);
});

test("DnsCache: the least used entries go first, by number and by memory", () => {
  const cache = new DnsCache({ ticks: () => 0, maxEntries: 2 });
  const set = (name: string) =>
    cache.set(question(name), plain, answer({ answers: [address(name, 10)] }));
  set("a.com");
  set("b.com");
  cache.get(question("a.com"), plain);
  set("c.com");
  expect(["a.com", "b.com", "c.com"].map((name) => !!cache.get(question(name), plain))).toEqual([
    true,
    false,
    true,
  ]);
  const small = new DnsCache({ ticks: () => 0, maxBytes: 100_000 });
  for (let i = 0; i < 1000; i++)
    small.set(question(`${i}.com`), plain, answer({ answers: [address(`${i}.com`, 10)] }));
  expect(small.size).toBeGreaterThan(100);
  expect(small.size).toBeLessThan(300);
});
