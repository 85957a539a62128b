import { X509Certificate } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { testAuthority, testRequest } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { signers } from "../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import type { Client } from "../../client/client.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { csrSigningModule } from "./csr-signing-module.ts";

const beginning = Date.UTC(2026, 0, 1);
const hour = 3_600_000;
const authority = testAuthority(beginning + 500 * 24 * hour);

async function start(values: Readonly<Record<string, unknown>> = {}, signer = authority.signer) {
  const certificateSigners = {
    [signers.client]: signer,
    [signers.kubeletClient]: signer,
    [signers.kubeletServing]: signer,
  };
  const runnables = partsOf(csrSigningModule, { values, inputs: { certificateSigners } });
  const cluster = await accountedCluster({ runnables });
  onTestFinished(() => cluster.end());
  return cluster;
}

type Spec = CertificateSigningRequest["spec"];

async function approve(client: Client, spec: Partial<Spec>, type = "Approved"): Promise<void> {
  const csr = await client.create(CertificateSigningRequest, {
    metadata: { name: "a" },
    spec: {
      signerName: signers.client,
      request: testRequest({ commonName: "jane", organizations: ["dev"] }),
      usages: ["client auth"],
      ...spec,
    },
  });
  const decided = { ...csr, status: { conditions: [{ type, status: "True", reason: "Test" }] } };
  await client.update(CertificateSigningRequest, decided, { subresource: "approval" });
}

const get = (client: Client) => client.get(CertificateSigningRequest, { name: "a" });

async function issued(client: Client): Promise<X509Certificate> {
  const { certificate = "" } = (await get(client)).status;
  return new X509Certificate(Buffer.from(certificate, "base64"));
}

test("an approved request gets a certificate of the authority", async () => {
  const { client, settled } = await start();
  await approve(client, { usages: ["client auth", "digital signature"] });
  await settled();
  const certificate = await issued(client);
  expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
  expect({
    subject: certificate.subject,
    usages: certificate.keyUsage,
    isCa: certificate.ca,
    from: new Date(certificate.validFrom).toISOString(),
    to: new Date(certificate.validTo).toISOString(),
  }).toEqual({
    subject: "O=dev\nCN=jane",
    usages: ["1.3.6.1.5.5.7.3.2"],
    isCa: false,
    from: "2025-12-31T23:55:00.000Z",
    to: "2026-12-31T23:55:00.000Z",
  });
  expect((await get(client)).status.conditions).toHaveLength(1);
});

test("a kubelet's serving certificate has the requested names", async () => {
  const { client, settled } = await start();
  const organizations = ["system:nodes"];
  const names = { dnsNames: ["n"], ips: ["10.0.0.1", "fd00::1"] };
  await approve(client, {
    signerName: signers.kubeletServing,
    request: testRequest({ commonName: "system:node:n", organizations, ...names }),
    usages: ["server auth", "digital signature"],
  });
  await settled();
  expect((await issued(client)).subjectAltName).toBe(
    "DNS:n, IP Address:10.0.0.1, IP Address:FD00:0:0:0:0:0:0:1",
  );
});

each<[asked: number | undefined, maximum: string, from: string, to: string]>([
  [undefined, "8760h", "2025-12-31T23:55:00Z", "2026-12-31T23:55:00Z"],
  [600, "8760h", "2025-12-31T23:55:00Z", "2026-01-01T00:10:00Z"],
  [8 * 3600, "8760h", "2025-12-31T23:55:00Z", "2026-01-01T07:55:00Z"],
  [3 * 3600, "2h", "2025-12-31T23:55:00Z", "2026-01-01T02:00:00Z"],
  [undefined, "100000h", "2025-12-31T23:55:00Z", "2027-05-16T00:00:00Z"],
])("asked for %s seconds, with a maximum of %s", async (expirationSeconds, maximum, from, to) => {
  const { client, settled } = await start({
    "cluster-signing-duration": Number.parseInt(maximum, 10) * hour,
  });
  await approve(client, { expirationSeconds });
  await settled();
  const { validFrom, validTo } = await issued(client);
  expect([new Date(validFrom), new Date(validTo)]).toEqual([new Date(from), new Date(to)]);
});

each<[rule: string, spec: Partial<Spec>, message: string]>([
  [
    "usages of clients",
    { usages: ["client auth", "server auth"] },
    "invalid usage for client certificate: server auth",
  ],
  [
    "clients need their usage",
    { usages: ["digital signature"] },
    "missing required usage for client certificate: client auth",
  ],
  [
    "kubelets are in their group",
    { signerName: signers.kubeletClient },
    "subject organization is not system:nodes",
  ],
])("a request that its signer refuses has failed: %s", async (_, spec, message) => {
  const { client, settled, writes } = await start();
  await approve(client, spec);
  await settled();
  const { status } = await get(client);
  expect(status.certificate).toBeUndefined();
  expect(status.conditions).toEqual([
    expect.objectContaining({ type: "Approved" }),
    {
      type: "Failed",
      status: "True",
      reason: "SignerValidationFailure",
      message,
      lastUpdateTime: "2026-01-01T00:00:00Z",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    },
  ]);
  expect(writes).toHaveLength(1);
});

each<[rule: string, spec: Partial<Spec>, decision: string]>([
  ["denied", {}, "Denied"],
  ["of signers of others", { signerName: "example.com/signer" }, "Approved"],
])("requests are not signed: %s", async (_, spec, decision) => {
  const { client, settled, writes } = await start();
  await approve(client, spec, decision);
  await settled();
  expect((await get(client)).status.certificate).toBeUndefined();
  expect(writes).toEqual([]);
});

test("an expired authority signs nothing", async () => {
  const { client, settled } = await start({}, testAuthority(beginning - 1000).signer);
  await approve(client, {});
  await settled();
  expect((await get(client)).status.certificate).toBeUndefined();
});
