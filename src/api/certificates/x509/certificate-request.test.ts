import { expect, test } from "vitest";
import { tags } from "../../../base/der-reader.ts";
import { parseCertificate, parseCertificates } from "./certificate.ts";
import { parseCertificateRequest } from "./certificate-request.ts";
import { authority, changed, leaf, p256Request, pem } from "./fixtures.test-support.ts";
import { pemBlocks } from "./pem.ts";

const faultOf = (read: () => unknown): unknown => {
  try {
    return read();
  } catch (error) {
    return (error as Error).message;
  }
};

test("parseCertificateRequest: reads subject and alternative names", () => {
  const { subject, names } = parseCertificateRequest(p256Request);
  expect({ subject, names }).toEqual({
    subject: [
      { oid: "2.5.4.10", value: "system:nodes" },
      { oid: "2.5.4.3", value: "system:node:a" },
    ],
    names: {
      dnsNames: ["a.example.com"],
      ipAddresses: [Uint8Array.of(10, 0, 0, 1)],
      emailAddresses: ["a@b.c"],
      uris: ["spiffe://x/y"],
    },
  });
});

test("parseCertificateRequest: the offset in an error counts from the enclosing element", () => {
  // The version: the first element of the body.
  const place = p256Request.findIndex((byte, i) => i > 3 && byte === tags.integer);
  const broken = Uint8Array.from(p256Request);
  broken[place] = tags.boolean;
  expect(faultOf(() => parseCertificateRequest(broken))).toBe(
    "asn1: structure error: tags don't match (2 vs {class:0 tag:1 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} int @2",
  );
});

test("parseCertificate: reads validity, basic constraints and key", () => {
  const read = parseCertificate(leaf);
  expect({
    isCa: [read.isCa, parseCertificate(authority).isCa],
    names: read.names.dnsNames,
    times: [read.notBefore, read.notAfter].map((time) => new Date(time * 1000).toISOString()),
    key: read.publicKey,
  }).toEqual({
    isCa: [false, true],
    names: ["a.example.com"],
    times: ["2026-11-15T07:15:02.000Z", "2026-11-16T07:15:02.000Z"],
    key: parseCertificateRequest(p256Request).publicKey,
  });
});

test("parseCertificates: reads concatenated certificates", () => {
  const both = Uint8Array.from([...authority, ...leaf]);
  expect([
    parseCertificates(both).map(({ raw }) => raw.length),
    faultOf(() => parseCertificate(both)),
    faultOf(() => parseCertificates(both.subarray(0, -1))),
    // The first byte of the body.
    faultOf(() => parseCertificate(changed(authority, 4))),
  ]).toEqual([
    [authority.length, leaf.length],
    "x509: trailing data",
    "x509: malformed certificate",
    "x509: malformed tbs certificate",
  ]);
});

const bytes = Uint8Array.of(1, 2, 3);
const texts: readonly [rule: string, text: string, types: readonly string[]][] = [
  ["blocks follow each other", pem("A", bytes) + pem("B", bytes), ["A", "B"]],
  ["an empty block is one", "-----BEGIN A-----\n-----END A-----", ["A"]],
  ["a beginning without an end is skipped", `-----BEGIN X-----\n${pem("A", bytes)}`, ["A"]],
  ["a block with another end is skipped", "-----BEGIN A-----\nAQID\n-----END B-----\n", []],
  ["a beginning stands at the start of a line", `x${pem("A", bytes)}`, []],
  ["nothing follows an end on its line", pem("A", bytes).replace(/\n$/, "x\n"), []],
  ["what is not base64 is skipped", "-----BEGIN A-----\n?\n-----END A-----\n", []],
  ["lines may end with a carriage return", pem("A", bytes).replaceAll("\n", "\r\n"), ["A"]],
];
test.each(texts)("pemBlocks: %s", (_, text, types) => {
  expect([...pemBlocks(text)].map(({ type }) => type)).toEqual(types);
});

test("pemBlocks: headers come before an empty line", () => {
  const text = "-----BEGIN A-----\nProc-Type: 4,ENCRYPTED\nb:c\n\nAQID\n-----END A-----\n";
  expect([...pemBlocks(text)]).toEqual([
    { type: "A", headers: { "Proc-Type": "4,ENCRYPTED", b: "c" }, bytes },
  ]);
});
