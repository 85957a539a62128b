import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { integer, oid, sequence, set, utf8String } from "./der.ts";
import { encodeName, issueCertificate, issuerFrom } from "./x509.ts";
import { certificateParts } from "./x509-parts.ts";

const notBefore = new Date("2026-01-01T00:00:00Z");
const notAfter = new Date("2126-01-01T00:00:00Z");
const dir = mkdtempSync(join(tmpdir(), "wherry-x509-"));
afterAll(() => rmSync(dir, { recursive: true }));

const hasOpenssl = (() => {
  try {
    return execFileSync("openssl", ["version"]).length > 0;
  } catch {
    return false;
  }
})();

const keys: readonly [string, () => KeyObject][] = [
  ["P-256", () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey],
  ["P-384", () => generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey],
  ["RSA", () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
  ["Ed25519", () => generateKeyPairSync("ed25519").privateKey],
];

function issueAuthority(key: KeyObject): string {
  const subject = { commonName: "test-ca", organizations: ["Test, Inc."] };
  return issueCertificate({
    subject,
    issuer: { name: encodeName(subject), key },
    publicKey: createPublicKey(key),
    notBefore,
    notAfter,
    isCa: true,
    keyUsage: ["keyCertSign", "cRLSign"],
  });
}

function issueLeaf(authority: string, authorityKey: KeyObject): string {
  return issueCertificate({
    subject: { commonName: "jane", organizations: ["a, b", "O=c\nCN=root", "ü"], uid: "42" },
    issuer: issuerFrom(new X509Certificate(authority), authorityKey),
    publicKey: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey,
    notBefore,
    notAfter,
    serial: Buffer.of(0x80, 1),
    keyUsage: ["digitalSignature"],
    extKeyUsage: ["serverAuth", "clientAuth"],
    dnsNames: ["localhost", "*.example.org"],
    ips: ["127.0.0.1", "::1"],
  });
}

test.each(keys)("issueCertificate: Node accepts a chain signed with %s", (_, makeKey) => {
  const key = makeKey();
  const authority = new X509Certificate(issueAuthority(key));
  const leaf = new X509Certificate(issueLeaf(authority.toString(), key));
  expect({
    authorityCa: authority.ca,
    self: authority.verify(authority.publicKey) && authority.checkIssued(authority),
    leafCa: leaf.ca,
    signed: leaf.verify(authority.publicKey) && leaf.checkIssued(authority),
    serial: leaf.serialNumber,
    from: new Date(leaf.validFrom),
    to: new Date(leaf.validTo),
    usages: leaf.keyUsage,
    names: leaf.subjectAltName,
    host: [leaf.checkHost("localhost"), leaf.checkHost("a.example.org"), leaf.checkHost("b")],
    ip: [leaf.checkIP("::1"), leaf.checkIP("127.0.0.2")],
  }).toEqual({
    authorityCa: true,
    self: true,
    leafCa: false,
    signed: true,
    serial: "8001",
    from: notBefore,
    to: notAfter,
    usages: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
    names: "DNS:localhost, DNS:*.example.org, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
    host: ["localhost", "*.example.org", undefined],
    ip: ["::1", undefined],
  });
});

test.skipIf(!hasOpenssl).each(keys)(
  "issueCertificate: openssl accepts %s (skipped without openssl)",
  (name, makeKey) => {
    const key = makeKey();
    const authority = issueAuthority(key);
    const [caFile, leafFile] = [join(dir, `${name}-ca.crt`), join(dir, `${name}.crt`)];
    writeFileSync(caFile, authority);
    writeFileSync(leafFile, issueLeaf(authority, key));
    const verify = (purpose: string) =>
      execFileSync("openssl", [
        ...["verify", "-x509_strict", "-check_ss_sig", "-purpose", purpose],
        ...["-CAfile", caFile, leafFile],
      ]).toString();
    expect(verify("sslserver")).toEqual(`${leafFile}: OK\n`);
    expect(verify("sslclient")).toEqual(`${leafFile}: OK\n`);
  },
);

test("certificateParts: the subject may contain any characters", () => {
  const key = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const leaf = new X509Certificate(issueLeaf(issueAuthority(key), key));
  expect(certificateParts(leaf.raw).subject).toEqual({
    commonName: "jane",
    organizations: ["a, b", "O=c\nCN=root", "ü"],
    uid: "42",
  });
});

test("certificateParts: the last of several common names wins, and several uids are rejected", () => {
  const attribute = (type: string, value: string) => set(sequence(oid(type), utf8String(value)));
  const subjectOf = (...attributes: readonly Uint8Array[]) => {
    const [serial, empty, subject] = [integer(1), sequence(), sequence(...attributes)];
    const signed = sequence(serial, empty, empty, empty, subject, empty);
    return certificateParts(sequence(signed, empty)).subject;
  };
  const [commonName, uid] = ["2.5.4.3", "1.3.6.1.4.1.57683.2"];
  expect(subjectOf(attribute(commonName, "first"), attribute(commonName, "last"))).toEqual({
    commonName: "last",
    organizations: [],
  });
  expect(() => subjectOf(attribute(uid, "1"), attribute(uid, "1"))).toThrow("several uids");
  expect(() => subjectOf(attribute(uid, ""))).toThrow("uid is empty");
});
