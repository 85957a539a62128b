import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { renewedServerCertificates } from "./server-certificates.ts";

const names = { dnsNames: ["hooks.default.svc", "hooks.default"], ips: ["127.0.0.1"] };
const day = 86_400_000;
const start = new Date("2026-01-01T00:00:00Z");
const after = (days: number): Date => new Date(start.getTime() + days * day);

test("renewedServerCertificates: makes an authority and a certificate for all names", () => {
  const { ca, server } = renewedServerCertificates(undefined, names, start);
  const [authority, certificate] = [new X509Certificate(ca.cert), new X509Certificate(server.cert)];
  expect(authority.ca).toBe(true);
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.checkHost("hooks.default")).toBe("hooks.default");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
});

test("renewedServerCertificates: keeps what is valid, and renews what is due", () => {
  const first = renewedServerCertificates(undefined, names, start);
  expect(renewedServerCertificates(first, names, after(300))).toBe(first);
  const later = renewedServerCertificates(first, names, after(340));
  expect(later.ca).toBe(first.ca);
  expect(later.server.cert).not.toBe(first.server.cert);
  expect(later.server.key).toBe(first.server.key);
  const renamed = renewedServerCertificates(first, { ...names, ips: [] }, after(1));
  expect(renamed.ca).toBe(first.ca);
  expect(renamed.server.cert).not.toBe(first.server.cert);
});

test("renewedServerCertificates: a renewed authority still stands for certificates of the old one", () => {
  const first = renewedServerCertificates(undefined, names, start);
  const later = renewedServerCertificates(first, names, after(3640));
  expect(later.ca.cert).not.toBe(first.ca.cert);
  const old = new X509Certificate(first.ca.cert);
  expect(new X509Certificate(later.server.cert).verify(old.publicKey)).toBe(true);
});

test("renewedServerCertificates: replaces what cannot be read", () => {
  const bad = { cert: "no certificate", key: "no key" };
  const first = renewedServerCertificates({ ca: bad, server: bad }, names, start);
  const other = renewedServerCertificates({ ...first, ca: bad }, names, start);
  expect(other.ca.cert).not.toBe(first.ca.cert);
  const authority = new X509Certificate(other.ca.cert);
  expect(new X509Certificate(other.server.cert).verify(authority.publicKey)).toBe(true);
});
