import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { testRequest } from "../../../test/certificates.ts";
import { signers } from "../../api/certificates/signers.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { clusterInfo, detachedSignature } from "../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import type { Client } from "../../client/client.ts";
import { parseKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { hmacSha256 } from "../../platform/hmac-sha256.ts";
import { addTestToken, startJoiningServer, testToken } from "./joining-server.test-support.ts";
import { ensureNodeAccess } from "./node-access.ts";

const organizations = ["system:nodes"];

/** Waits for the certificate of a request. */
async function issued(client: Client, name: string): Promise<X509Certificate> {
  const certificate = async () =>
    (await client.get(CertificateSigningRequest, { name })).status.certificate;
  await expect.poll(certificate).toBeTruthy();
  return new X509Certificate(Buffer.from((await certificate()) ?? "", "base64"));
}

test("a server lets machines with a token get client certificates of nodes", async () => {
  const { server, client, clientWith } = await startJoiningServer();
  await addTestToken(client);
  const joining = await clientWith(testToken);
  const { metadata } = await joining.create(CertificateSigningRequest, {
    metadata: { generateName: "csr-" },
    spec: {
      signerName: signers.kubeletClient,
      request: testRequest({ commonName: "system:node:n", organizations }),
      usages: ["client auth", "digital signature"],
    },
  });
  const certificate = await issued(joining, metadata.name ?? "");
  expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:n");
  expect(certificate.verify(new X509Certificate(server.rootCa).publicKey)).toBe(true);
});

test("a server gives nodes serving certificates, of an authority that clients do not trust", async () => {
  const { server, client } = await startJoiningServer();
  await client.create(Node, { metadata: { name: "n" } });
  const addresses = [{ type: "InternalIP", address: "10.0.0.1" }];
  const patch = { merge: { status: { addresses } } };
  await client.patch(Node, { name: "n" }, patch, { subresource: "status" });
  const node = client.as({ user: "system:node:n", groups: organizations });
  const { metadata } = await node.create(CertificateSigningRequest, {
    metadata: { generateName: "csr-" },
    spec: {
      signerName: signers.kubeletServing,
      request: testRequest({ commonName: "system:node:n", organizations, ips: ["10.0.0.1"] }),
      usages: ["server auth", "digital signature"],
    },
  });
  const certificate = await issued(client, metadata.name ?? "");
  expect(certificate.checkIP("10.0.0.1")).toBe("10.0.0.1");
  expect(certificate.issuer).toBe("CN=wherry-kubelet-ca");
  expect(certificate.verify(new X509Certificate(server.rootCa).publicKey)).toBe(false);
});

test("everybody can read cluster-info, which tokens sign", async () => {
  const { server, client, clientWith } = await startJoiningServer();
  await addTestToken(client);
  const anonymous = await clientWith();
  const info = async () => (await anonymous.get(ConfigMap, clusterInfo)).data ?? {};
  await expect.poll(async () => (await info())["jws-kubeconfig-abcdef"]).toBeTruthy();
  const { kubeconfig = "", "jws-kubeconfig-abcdef": signature } = await info();
  const token = { id: "abcdef", secret: "0123456789abcdef" };
  expect(signature).toBe(detachedSignature(kubeconfig, token, hmacSha256));
  expect(parseKubeconfig(kubeconfig).clusters).toEqual([
    {
      name: "",
      cluster: {
        "certificate-authority-data": Buffer.from(server.rootCa).toString("base64"),
        server: `https://127.0.0.1:${server.port}`,
      },
    },
  ]);
});

test("ensureNodeAccess: a binding without its subject stays so", async () => {
  const { client } = await startJoiningServer();
  const name = "wherry:node-autoapprove-bootstrap";
  await client.patch(ClusterRoleBinding, { name }, { merge: { subjects: null } });
  await ensureNodeAccess(client);
  expect((await client.get(ClusterRoleBinding, { name })).subjects).toBeUndefined();
});
