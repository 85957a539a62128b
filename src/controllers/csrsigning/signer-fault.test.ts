import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { type KubernetesSigner, signers } from "../../api/certificates/signers.ts";
import { isKubernetesSigner, signerFault } from "./signer-fault.ts";

const none = { dnsNames: [], emailAddresses: [], ipAddresses: [], uris: [] };
const subject = (commonName: string, organization: string) => [
  { oid: "2.5.4.10", value: organization },
  { oid: "2.5.4.3", value: commonName },
];
const node = { subject: subject("system:node:n", "system:nodes"), names: none };
const user = { subject: subject("jane", "dev"), names: none };
const named = { ...node, names: { ...none, dnsNames: ["n.example.com"] } };
const client = ["client auth", "digital signature"];
const server = ["server auth", "digital signature"];

type Request = Parameters<typeof signerFault>[1];

each<[what: string, signer: KubernetesSigner, request: Request, usages: string[], fault?: string]>([
  ["a client of any name", signers.client, user, ["client auth"]],
  ["a client with all usages", signers.client, user, [...client, "key encipherment"]],
  [
    "a client that serves, too",
    signers.client,
    user,
    [...client, "server auth"],
    "invalid usage for client certificate: server auth",
  ],
  [
    "a client without its usage",
    signers.client,
    user,
    ["digital signature"],
    "missing required usage for client certificate: client auth",
  ],
  ["a kubelet that calls", signers.kubeletClient, node, client],
  [
    "a kubelet with the usages of RSA",
    signers.kubeletClient,
    node,
    [...client, "key encipherment"],
  ],
  [
    "a user that calls as a kubelet",
    signers.kubeletClient,
    user,
    client,
    "subject organization is not system:nodes",
  ],
  [
    "a kubelet that calls, with a DNS name",
    signers.kubeletClient,
    named,
    client,
    "DNS subjectAltNames are not allowed",
  ],
  [
    "a kubelet that calls, with usages of a server",
    signers.kubeletClient,
    node,
    server,
    "usages did not match [client auth digital signature key encipherment]",
  ],
  ["a kubelet that serves", signers.kubeletServing, named, server],
  [
    "a kubelet that serves under no name",
    signers.kubeletServing,
    node,
    server,
    "DNS or IP subjectAltName is required",
  ],
  [
    "a kubelet that serves, with usages of a client",
    signers.kubeletServing,
    named,
    client,
    "usages did not match [digital signature key encipherment server auth]",
  ],
  ["anything, as ever", signers.legacy, user, ["any", "cert sign"]],
])("signerFault: %s", (_, signer, request, usages, fault) => {
  expect(isKubernetesSigner(signer)).toBe(true);
  expect(signerFault(signer, request, usages)).toBe(fault);
});
