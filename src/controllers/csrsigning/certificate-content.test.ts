import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { certificateContent } from "./certificate-content.ts";
import { certificateUsages } from "./key-usages.ts";

test("certificateContent: the subject keeps what Go knows, in its order", () => {
  const subject = [
    { oid: "2.5.4.3", value: "first" },
    { oid: "1.3.6.1.4.1.57683.2", value: "uid" },
    { oid: "2.5.4.10", value: "b" },
    { oid: "2.5.4.10", value: "a" },
    { oid: "2.5.4.6", value: "FR" },
    { oid: "2.5.4.3", value: "last" },
  ];
  const names = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };
  const request = { subject, names, publicKeyInfo: Uint8Array.of(1) };
  const options = { maxDurationMs: 1, authorityNotAfter: 10, now: 5 };
  const content = certificateContent({ usages: [] }, request, options);
  expect(content.subject.map(({ value }) => value)).toEqual(["FR", "b", "a", "last"]);
  expect(content.notAfter).toBe(6);
});

each<[usages: readonly string[], key: readonly string[], extended: readonly string[]]>([
  [["signing", "digital signature"], ["digitalSignature"], []],
  [["client auth", "any", "server auth"], [], ["any", "serverAuth", "clientAuth"]],
  [["s/mime", "email protection"], [], ["emailProtection"]],
  [["crl sign", "decipher only"], ["cRLSign", "decipherOnly"], []],
])("certificateUsages: %j", (usages, keyUsage, extKeyUsage) => {
  expect(certificateUsages(usages)).toEqual({ keyUsage, extKeyUsage });
});

test("certificateUsages: unknown usages are errors", () => {
  expect(() => certificateUsages(["a b", "any", "constructor"])).toThrow(
    'unrecognized usage values: ["a b" "constructor"]',
  );
});
