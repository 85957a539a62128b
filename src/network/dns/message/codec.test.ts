import { expect, test } from "vitest";
import { SeededRandom } from "../../../base/random.ts";
import { decodeMessage } from "./decode-message.ts";
import { recordTypes } from "./dns-codes.ts";
import { nameIn, queryOf } from "./dns-message.test-support.ts";
import { nameOfLabels } from "./dns-name.ts";
import { encodeMessage } from "./encode-message.ts";
import { addressBytes, addressRecord, nameRecord, soaRecord, srvRecord } from "./make-record.ts";
import { recordText } from "./record-text.test-support.ts";

const { A, MX, SRV, CNAME } = recordTypes;
const web = nameIn("Web.example.com");
const bytes = (text: string): Uint8Array => addressBytes(text) ?? new Uint8Array();

const response = queryOf("Web.example.com", A, {
  isResponse: true,
  isAuthoritative: true,
  recursionAvailable: true,
  checkingDisabled: true,
  answers: [
    nameRecord(web, { type: CNAME, ttl: 7, target: nameIn("www.example.com") }),
    addressRecord(nameIn("www.example.com"), 4_294_967_295, bytes("10.0.0.1")),
    addressRecord(nameIn("www.example.com"), 0, bytes("fd00::1")),
  ],
  authorities: [
    soaRecord(nameIn("example.com"), {
      ...{
        ttl: 30,
        server: nameIn("ns.example.com"),
        mailbox: nameIn("me.example.com"),
        serial: 9,
      },
    }),
  ],
  additionals: [
    srvRecord(nameIn("_x._tcp.example.com"), { ttl: 1, weight: 50, port: 65535, target: web }),
  ],
  edns: { size: 1232, version: 0, dnssecOk: true },
});

test("codec: what is encoded is decoded, with the case of names", () => {
  expect(decodeMessage(encodeMessage(response))).toEqual({
    ...response,
    answers: response.answers.map((record) => ({ ...record, data: expect.anything() })),
    authorities: [{ ...response.authorities[0], data: expect.anything() }],
    additionals: [{ ...response.additionals[0], data: expect.anything() }],
  });
  const {
    answers = [],
    authorities = [],
    additionals = [],
  } = decodeMessage(encodeMessage(response)) ?? {};
  expect([...answers, ...authorities, ...additionals].map(recordText)).toEqual([
    "Web.example.com. 7 CNAME www.example.com.",
    "www.example.com. 4294967295 A 10.0.0.1",
    "www.example.com. 0 AAAA fd00::1",
    "example.com. 30 SOA ns.example.com. me.example.com. 9 7200 1800 86400 30",
    "_x._tcp.example.com. 1 SRV 0 50 65535 Web.example.com.",
  ]);
});

test("codec: a code above 15 is in EDNS", () => {
  const edns = { size: 512, version: 0, dnssecOk: false };
  const encoded = encodeMessage(queryOf("a", A, { isResponse: true, code: 16, edns }));
  expect(encoded.readUInt16BE(2) & 15).toBe(0);
  expect(decodeMessage(encoded)).toMatchObject({ code: 16, edns });
});

test("encodeMessage: repeated names are pointers", () => {
  const { length } = encodeMessage({ ...queryOf("web.example.com", A), answers: [] });
  const one = addressRecord(nameIn("web.example.com"), 30, bytes("10.0.0.1"));
  expect(encodeMessage(queryOf("web.example.com", A, { answers: [one, one] })).length).toBe(
    length + 2 * (2 + 10 + 4),
  );
});

test.each([
  [512, 29],
  [1232, 74],
  [100, 4],
])("encodeMessage: within %d bytes it is truncated after %d addresses", (limit, count) => {
  const answers = Array.from({ length: 200 }, (_, i) =>
    addressRecord(nameIn("web.example.com"), 30, Uint8Array.of(10, 0, 0, i)),
  );
  const encoded = encodeMessage(queryOf("web.example.com", A, { answers }), limit);
  expect(encoded.length).toBeLessThanOrEqual(limit);
  expect(decodeMessage(encoded)).toMatchObject({
    isTruncated: true,
    answers: answers.slice(0, count).map(({ ttl }) => ({ ttl })),
  });
});

test("encodeMessage: additional records that do not fit are left out without a word", () => {
  const additionals = Array.from({ length: 50 }, (_, i) =>
    addressRecord(nameIn(`web-${i}.example.com`), 30, bytes("10.0.0.1")),
  );
  const edns = { size: 1232, version: 0, dnssecOk: false };
  const encoded = encodeMessage(queryOf("example.com", SRV, { additionals, edns }), 512);
  expect(encoded.length).toBeLessThanOrEqual(512);
  const decoded = decodeMessage(encoded);
  expect(decoded).toMatchObject({ isTruncated: false, edns });
  expect(decoded?.additionals.length).toBeGreaterThan(10);
});

test("decodeMessage: compressed names in data are restored", () => {
  const message = Buffer.concat([
    encodeMessage(queryOf("example.com", MX)),
    // A pointer to the question, MX 10 with the name `mail` before that pointer.
    Buffer.from([0xc0, 12, 0, 15, 0, 1, 0, 0, 0, 5, 0, 9, 0, 10, 4, 109, 97, 105, 108, 0xc0, 12]),
  ]);
  message.writeUInt16BE(1, 6);
  const [mx] = decodeMessage(message)?.answers ?? [];
  expect(Buffer.from(mx?.data ?? []).toString("latin1")).toBe(`\0\n${nameIn("mail.example.com")}`);
});

const header = (counts: readonly number[], flags = 0x0100): readonly number[] => [
  ...[0, 1, flags >> 8, flags & 255],
  ...counts.flatMap((count) => [count >> 8, count & 255]),
];
const question = [1, 97, 0, 0, 1, 0, 1];

test.each<readonly [string, readonly number[]]>([
  ["nothing", []],
  ["a part of the header", header([0, 0, 0, 0]).slice(0, 11)],
  ["a missing question", header([1, 0, 0, 0])],
  ["a name without an end", [...header([1, 0, 0, 0]), 1, 97]],
  ["a label that is too long for the message", [...header([1, 0, 0, 0]), 63, 97, 0, 0, 1, 0, 1]],
  ["a pointer to itself", [...header([1, 0, 0, 0]), 0xc0, 12, 0, 1, 0, 1]],
  ["a pointer forward", [...header([1, 0, 0, 0]), 0xc0, 14, 0, 0, 1, 0, 1]],
  ["pointers in a circle", [...header([1, 0, 0, 0]), 1, 97, 0xc0, 12, 0, 1, 0, 1]],
  ["half a pointer", [...header([1, 0, 0, 0]), 0xc0]],
  ["a kind of label that nobody uses", [...header([1, 0, 0, 0]), 0x41, 1, 0, 0, 1, 0, 1]],
  ["65535 questions in 7 bytes", [...header([65_535, 0, 0, 0]), ...question]],
  [
    "data beyond the message",
    [...header([1, 1, 0, 0]), ...question, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1],
  ],
  [
    "a name that is longer than its data",
    [...header([1, 1, 0, 0]), ...question, 0, 0, 5, 0, 1, 0, 0, 0, 0, 0, 1, 1, 97, 0],
  ],
  [
    "a name of more than 255 bytes",
    [
      ...header([1, 0, 0, 0]),
      ...Array(5)
        .fill([63, ...Array(63).fill(97)])
        .flat(),
      0,
      0,
      1,
      0,
      1,
    ],
  ],
  [
    "two records of EDNS",
    [
      ...header([1, 0, 0, 2]),
      ...question,
      ...Array(2).fill([0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]).flat(),
    ],
  ],
])("decodeMessage: %s is malformed", (_, message) => {
  expect(decodeMessage(Uint8Array.from(message))).toBeUndefined();
});

test("decodeMessage: bytes that are changed at random are decoded or malformed, in bounded time", () => {
  const random = new SeededRandom(7);
  const original = encodeMessage(response);
  let decoded = 0;
  const began = performance.now();
  for (let round = 0; round < 20_000; round++) {
    const changed = Buffer.from(original);
    for (let i = 0; i < 1 + random.next() * 4; i++)
      changed[Math.floor(random.next() * changed.length)] = Math.floor(random.next() * 256);
    const cut = random.next() < 0.3 ? Math.floor(random.next() * changed.length) : changed.length;
    const message = decodeMessage(changed.subarray(0, cut));
    if (!message) continue;
    decoded++;
    // What can be read can be written.
    encodeMessage({ ...message, edns: undefined });
  }
  expect(decoded).toBeGreaterThan(1000);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("decodeMessage: a chain of pointers through a large message is bounded", () => {
  const names = 8000;
  const message = Buffer.alloc(12 + names * 2 + 2);
  message.writeUInt16BE(65_535, 4);
  // Each pointer leads to the one before it.
  for (let i = 1; i < names; i++) message.writeUInt16BE(0xc000 | (12 + (i - 1) * 2), 12 + i * 2);
  const began = performance.now();
  expect(decodeMessage(message)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1000);
  expect(nameOfLabels([])).toBe("\0");
});
