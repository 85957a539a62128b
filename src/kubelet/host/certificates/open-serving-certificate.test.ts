import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { certificateCluster } from "../../../../test/certificate-cluster.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { noLog } from "../../../base/log.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { realClock } from "../../../platform/real-clock.ts";
import {
  openServingCertificate,
  type ServingCertificate,
  type ServingCertificateOptions,
} from "./open-serving-certificate.ts";

function emptyDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-certificates-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

async function open(options: Partial<ServingCertificateOptions>): Promise<ServingCertificate> {
  const certificate = await openServingCertificate({
    certDir: emptyDir(),
    nodeName: "n",
    hostname: "n",
    clock: realClock,
    random: { next: () => 0.5 },
    log: noLog,
    ...options,
  });
  onTestFinished(() => certificate.close());
  return certificate;
}

const namesOf = (certificate: ServingCertificate): string | undefined => {
  const { cert } = certificate.current() ?? {};
  return cert && new X509Certificate(cert).subjectAltName;
};

test("a self-signed certificate is created once", async () => {
  const certDir = join(emptyDir(), "pki");
  const certificate = await open({ certDir });
  expect(namesOf(certificate)).toBe("DNS:n");
  expect(statSync(join(certDir, "kubelet.key")).mode & 0o777).toBe(0o600);
  expect(statSync(join(certDir, "kubelet.crt")).mode & 0o777).toBe(0o644);
  expect((await open({ certDir })).current()).toEqual(certificate.current());
});

test("replaced files of a given certificate are read again", async () => {
  const dir = emptyDir();
  const files = { cert: join(dir, "tls.crt"), key: join(dir, "tls.key") };
  const write = (name: string) => {
    const { cert, key } = selfSigned({ name, ips: [], now: new Date() });
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
  };
  write("a");
  const certificate = await open({ files });
  expect(namesOf(certificate)).toBe("DNS:a");
  const changes: string[] = [];
  certificate.onChange(({ cert }) => changes.push(cert));
  write("b");
  await expect.poll(() => namesOf(certificate)).toBe("DNS:b");
  expect(changes).toEqual([readFileSync(files.cert, "utf8")]);
});

async function startRequested() {
  const cluster = await certificateCluster();
  onTestFinished(() => cluster.end());
  const { client, clock } = cluster;
  await client.create(Node, { metadata: { name: "n" } });
  const certificate = await open({ client: cluster.nodeClient("n"), clock });
  const setAddresses = async (...ips: readonly string[]) => {
    const addresses = [
      { type: "Hostname", address: "n" },
      ...ips.map((address) => ({ type: "InternalIP", address })),
    ];
    const patch = { merge: { status: { addresses } } };
    await client.patch(Node, { name: "n" }, patch, { subresource: "status" });
    certificate.setAddresses(addresses);
  };
  const requests = async () => (await client.list(CertificateSigningRequest)).items;
  return { ...cluster, certificate, setAddresses, requests };
}

test("a certificate is requested once the node has an address", async () => {
  const { certificate, setAddresses, requests, settled } = await startRequested();
  await settled();
  expect(await requests()).toEqual([]);
  expect(certificate.current()).toBeUndefined();
  await setAddresses("10.0.0.1");
  await expect.poll(() => namesOf(certificate)).toBe("DNS:n, IP Address:10.0.0.1");
  const [csr] = await requests();
  expect(csr?.metadata.name).toMatch(/^csr-/);
  expect(csr?.spec).toMatchObject({
    signerName: "kubernetes.io/kubelet-serving",
    usages: ["digital signature", "server auth"],
    username: "system:node:n",
  });
});

test("new addresses need a new certificate, and fewer do not", async () => {
  const { certificate, setAddresses, requests, settled } = await startRequested();
  await setAddresses("10.0.0.1");
  await expect.poll(() => namesOf(certificate)).toBe("DNS:n, IP Address:10.0.0.1");
  await setAddresses("10.0.0.1", "10.0.0.2");
  await expect
    .poll(() => namesOf(certificate))
    .toBe("DNS:n, IP Address:10.0.0.1, IP Address:10.0.0.2");
  await setAddresses("10.0.0.2");
  await settled();
  expect(await requests()).toHaveLength(2);
});

test("a request that waits is given up when the addresses change", async () => {
  const { certificate, setAddresses, requests } = await startRequested();
  // It is not approved: the node object does not have this address.
  certificate.setAddresses([{ type: "InternalIP", address: "10.9.9.9" }]);
  await expect.poll(requests).toHaveLength(1);
  await setAddresses("10.0.0.1");
  await expect.poll(() => namesOf(certificate)).toBe("DNS:n, IP Address:10.0.0.1");
});

test("a serving certificate is replaced before it expires", async () => {
  const { certificate, setAddresses, advance } = await startRequested();
  await setAddresses("10.0.0.1");
  await expect.poll(() => certificate.current()).toBeTruthy();
  const first = certificate.current();
  await advance("8h");
  await expect.poll(() => certificate.current()).not.toBe(first);
  expect(namesOf(certificate)).toBe("DNS:n, IP Address:10.0.0.1");
});
