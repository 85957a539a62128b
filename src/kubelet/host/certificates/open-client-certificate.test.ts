import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type CertificateCluster,
  certificateCluster,
} from "../../../../test/certificate-cluster.ts";
import { CertificateSigningRequest } from "../../../api/certificates/v1/certificate-signing-request.ts";
import { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { settableClock } from "../../../base/settable-clock.test-support.ts";
import type { KeyPair } from "../../../platform/pki/pki.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import { type ClientCertificateOptions, openClientCertificate } from "./open-client-certificate.ts";

async function start() {
  const cluster = await certificateCluster();
  const dir = mkdtempSync(join(tmpdir(), "wherry-certificates-"));
  onTestFinished(async () => {
    rmSync(dir, { recursive: true });
    await cluster.end();
  });
  const stop = new AbortController();
  const options: ClientCertificateOptions = {
    certDir: join(dir, "pki"),
    nodeName: "n",
    bootstrapClient: cluster.joining,
    clientWith: () => cluster.nodeClient("n"),
    clock: cluster.clock,
    random: { next: () => 0.5 },
    log: noLog,
    signal: stop.signal,
  };
  const open = async (more: Partial<ClientCertificateOptions> = {}) => {
    const certificate = await openClientCertificate({ ...options, ...more });
    onTestFinished(() => certificate.close());
    return certificate;
  };
  return { ...cluster, certDir: options.certDir, open, stop };
}

const subjectOf = ({ cert }: KeyPair): string => new X509Certificate(cert).subject;
const requests = async ({ client }: Pick<CertificateCluster, "client">) =>
  (await client.list(CertificateSigningRequest)).items;

test("the first certificate is requested with the credentials of a machine that joins", async () => {
  const { client, certDir, authority, open } = await start();
  const certificate = await open();
  expect(subjectOf(certificate.current())).toBe("O=system:nodes\nCN=system:node:n");
  const issuer = new X509Certificate(authority.cert);
  expect(new X509Certificate(certificate.current().cert).verify(issuer.publicKey)).toBe(true);
  expect(certificate.path).toBe(join(certDir, "kubelet-client-current.pem"));
  expect(readdirSync(certDir)).toHaveLength(2);
  const [csr] = await requests({ client });
  expect(csr?.metadata.name).toMatch(/^node-csr-[\w-]{43}$/);
  expect(csr?.spec).toMatchObject({
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["digital signature", "client auth"],
    username: "system:bootstrap:abcdef",
  });

  const again = await open({ bootstrapClient: undefined });
  expect(again.current()).toMatchObject({ cert: certificate.current().cert });
  expect(await requests({ client })).toHaveLength(1);
});

test("a kubelet that is started again waits for the same request", async () => {
  const { client, certDir, open, stop } = await start();
  const name = "wherry:node-autoapprove-bootstrap";
  await client.patch(ClusterRoleBinding, { name }, { merge: { subjects: null } });
  const waiting = open();
  await expect.poll(() => requests({ client })).toHaveLength(1);
  stop.abort();
  await expect(waiting).rejects.toThrow();
  expect(readdirSync(certDir)).toEqual(["kubelet-client.key.tmp"]);

  const second = open({ signal: new AbortController().signal });
  const [csr] = await requests({ client });
  if (!csr) throw new Error("the request is missing");
  const conditions = [{ type: "Approved", status: "True", reason: "Test" }];
  const approved = { ...csr, status: { conditions } };
  await client.update(CertificateSigningRequest, approved, { subresource: "approval" });
  expect(subjectOf((await second).current())).toBe("O=system:nodes\nCN=system:node:n");
  expect(await requests({ client })).toHaveLength(1);
  expect(existsSync(join(certDir, "kubelet-client.key.tmp"))).toBe(false);
});

test("a denied request is an error", async () => {
  const { client, open } = await start();
  const name = "wherry:node-autoapprove-bootstrap";
  await client.patch(ClusterRoleBinding, { name }, { merge: { subjects: null } });
  const waiting = open();
  const denial = expect(waiting).rejects.toThrow(
    "certificate signing request is denied, reason: Unknown, message: never seen",
  );
  await expect.poll(() => requests({ client })).toHaveLength(1);
  const [csr] = await requests({ client });
  if (!csr) throw new Error("the request is missing");
  const denied = { type: "Denied", status: "True", reason: "Unknown", message: "never seen" };
  const decided = { ...csr, status: { conditions: [denied] } };
  await client.update(CertificateSigningRequest, decided, { subresource: "approval" });
  await denial;
});

test("the certificate is replaced after four fifths of its validity", async () => {
  const { client, advance, open } = await start();
  const metrics = new MetricsRegistry();
  const certificate = await open({ metrics });
  const first = certificate.current();
  const changes: KeyPair[] = [];
  certificate.onChange((pair) => changes.push(pair));
  await advance("7h54m");
  expect(certificate.current()).toBe(first);
  await advance("2m");
  await expect.poll(() => changes).toHaveLength(1);
  expect(certificate.current()).toBe(changes[0]);
  expect(certificate.current().key).not.toBe(first.key);
  const csr = (await requests({ client })).find(({ metadata }) =>
    /^csr-/.test(metadata.name ?? ""),
  );
  expect(csr?.spec.username).toBe("system:node:n");
  expect(csr?.status.conditions?.[0]?.message).toBe(
    "Auto approving self kubelet client certificate after SubjectAccessReview.",
  );
  expect(metrics.text()).toMatch(/^kubelet_certificate_manager_client_ttl_seconds 35\d\d\d$/m);
});

test("the certificate is replaced in time although the clock was behind when it was issued", async () => {
  const { clock: signers, advance, open } = await start();
  const clock = settableClock(signers);
  clock.jump(-8 * 3_600_000);
  const certificate = await open({ clock });
  const first = certificate.current();
  await advance("1h");
  clock.jump(8 * 3_600_000);
  await advance("6h");
  expect(certificate.current()).toBe(first);
  await advance("1h10m");
  await expect.poll(() => certificate.current()).not.toBe(first);
});

test("a clock that is far ahead requests certificates once a minute at most", async () => {
  const { client, clock: signers, advance, open } = await start();
  const clock = settableClock(signers);
  const certificate = await open({ clock });
  const first = certificate.current();
  clock.jump(9 * 3_600_000);
  await advance("11m");
  await expect.poll(() => certificate.current()).not.toBe(first);
  const before = (await requests({ client })).length;
  await advance("3m");
  expect((await requests({ client })).length - before).toBeLessThanOrEqual(4);
});

test("a failed renewal is repeated", async () => {
  const { client, advance, settled, open } = await start();
  const metrics = new MetricsRegistry();
  const certificate = await open({ metrics });
  const first = certificate.current();
  const name = "wherry:node-autoapprove-certificate-rotation";
  const binding = await client.get(ClusterRoleBinding, { name });
  await client.delete(ClusterRoleBinding, { name });
  await advance("7h56m");
  const failures = () =>
    /^kubelet_certificate_manager_client_expiration_renew_errors (\d+)$/m.exec(metrics.text())?.[1];
  await advance("16m");
  await expect.poll(failures).toBe("1");
  expect(certificate.current()).toBe(first);
  const { metadata: _, ...rest } = binding;
  await client.create(ClusterRoleBinding, { metadata: { name }, ...rest });
  await settled();
  await advance("20m");
  await expect.poll(() => certificate.current()).not.toBe(first);
});

test("a pair that is given is stored, and replaced if it is not that of the node", async () => {
  const { clock, open, certDir } = await start();
  const initial = selfSigned({ name: "admin", ips: [], now: new Date(clock.now()) });
  const certificate = await open({ initial, bootstrapClient: undefined });
  await expect
    .poll(() => subjectOf(certificate.current()))
    .toBe("O=system:nodes\nCN=system:node:n");
  expect(readdirSync(certDir)).toContain("kubelet-client-current.pem");
});

test("without a certificate and credentials, it says what to do", async () => {
  const { advance, open } = await start();
  await expect(open({ bootstrapClient: undefined })).rejects.toThrow(
    /^there is no client certificate in .*: join the cluster first$/,
  );
  const certificate = await open({ rotates: false });
  await certificate.close();
  await advance("10h");
  await expect(open({ bootstrapClient: undefined })).rejects.toThrow(
    /^the client certificate in .* expired on .*: join the cluster again$/,
  );
});
