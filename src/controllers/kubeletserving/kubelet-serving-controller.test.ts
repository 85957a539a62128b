import { expect, onTestFinished, test } from "vitest";
import { testRequest } from "../../../test/certificates.ts";
import { each } from "../../../test/each.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import type { Client } from "../../client/client.ts";
import { partsOf, runningCluster } from "../running.test-support.ts";
import { kubeletServingModule } from "./kubelet-serving-module.ts";

async function start() {
  const cluster = await runningCluster(...partsOf(kubeletServingModule));
  onTestFinished(() => cluster.end());
  const { client, as } = cluster;
  const ofNode = (name: string): Client => as({ user: `system:node:${name}`, groups });
  await addNode(client, "n", addresses);
  return { ...cluster, ofNode };
}

const groups = ["system:nodes"];
const addresses = {
  Hostname: "n",
  InternalDNS: "n.example.com",
  InternalIP: "10.0.0.1",
  ExternalIP: "fd00:0::1",
};

async function addNode(client: Client, name: string, given: Readonly<Record<string, string>>) {
  await client.create(Node, { metadata: { name } });
  await setAddresses(client, name, given);
}

const setAddresses = (client: Client, name: string, given: Readonly<Record<string, string>>) => {
  const list = Object.entries(given).map(([type, address]) => ({ type, address }));
  const patch = { merge: { status: { addresses: list } } };
  return client.patch(Node, { name }, patch, { subresource: "status" });
};

interface Asked {
  readonly commonName?: string;
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
}

const request = (client: Client, { commonName = "system:node:n", ...names }: Asked) =>
  client.create(CertificateSigningRequest, {
    metadata: { name: "a" },
    spec: {
      signerName: "kubernetes.io/kubelet-serving",
      request: testRequest({ commonName, organizations: groups, ...names }),
      usages: ["server auth", "digital signature"],
    },
  });

async function isApproved(client: Client): Promise<boolean> {
  const { status } = await client.get(CertificateSigningRequest, { name: "a" });
  return status.conditions?.some(({ type }) => type === "Approved") ?? false;
}

each<[names: string, asked: Asked, approved: boolean]>([
  ["all of its names", { dnsNames: ["n", "n.example.com"], ips: ["10.0.0.1", "fd00::1"] }, true],
  ["one address", { ips: ["10.0.0.1"] }, true],
  ["an address as one of IPv6", { ips: ["::ffff:10.0.0.1"] }, true],
  ["another address", { ips: ["10.0.0.1", "10.0.0.2"] }, false],
  ["another name", { dnsNames: ["kubernetes.default.svc"] }, false],
  ["an address as a name", { dnsNames: ["10.0.0.9"] }, false],
  ["another node", { commonName: "system:node:m", dnsNames: ["n"] }, false],
])("a node requests a certificate for %s", async (_, asked, approved) => {
  const { client, settled, ofNode } = await start();
  await request(ofNode("n"), asked);
  await settled();
  expect(await isApproved(client)).toBe(approved);
});

test("a request of somebody else is not approved", async () => {
  const { client, settled } = await start();
  await request(client, { dnsNames: ["n"] });
  await settled();
  expect(await isApproved(client)).toBe(false);
});

test("a node does not get a certificate for the address of an older node", async () => {
  const { client, settled, advance, ofNode } = await start();
  await advance("1s");
  await addNode(client, "m", { Hostname: "m", InternalIP: "10.0.0.1" });
  await request(ofNode("m"), { commonName: "system:node:m", ips: ["10.0.0.1"] });
  await settled();
  expect(await isApproved(client)).toBe(false);
});

test("the request of a node whose addresses are not known yet is approved later", async () => {
  const { client, settled, ofNode } = await start();
  await request(ofNode("n"), { dnsNames: ["n"], ips: ["10.9.9.9"] });
  await settled();
  expect(await isApproved(client)).toBe(false);
  await setAddresses(client, "n", { ...addresses, InternalIP: "10.9.9.9" });
  await settled();
  expect(await isApproved(client)).toBe(true);
  const { status } = await client.get(CertificateSigningRequest, { name: "a" });
  expect(status.conditions?.[0]).toMatchObject({
    reason: "AutoApproved",
    message:
      "Auto approving kubelet serving certificate: its names and addresses are those of the node.",
  });
});
