import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { selfSigned } from "./self-signed.ts";

test("selfSigned: the certificate has a name and addresses, and is valid for a year", () => {
  const now = new Date("2026-01-02T03:04:05Z");
  const { cert } = selfSigned({ name: "localhost", ips: ["127.0.0.1"], now });
  const read = new X509Certificate(cert);
  expect(read.subject).toBe("CN=localhost@1767323045");
  expect(read.subjectAltName).toBe("DNS:localhost, IP Address:127.0.0.1");
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.ca).toBe(false);
  expect([read.validFrom, read.validTo]).toEqual([
    "Jan  2 02:04:05 2026 GMT",
    "Jan  2 03:04:05 2027 GMT",
  ]);
});
