import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { kubeletClientFault, kubeletServingFault } from "./kubelet-request.ts";
import type { CertificateRequest } from "./x509/certificate-request.ts";

interface Content {
  readonly organizations?: readonly string[];
  readonly commonName?: string;
  readonly names?: Partial<CertificateRequest["names"]>;
}

const noNames = { dnsNames: [], emailAddresses: [], uris: [], ipAddresses: [] };

function request(content: Content): Pick<CertificateRequest, "subject" | "names"> {
  const { organizations = ["system:nodes"], commonName = "system:node:a", names } = content;
  const subject = [
    ...organizations.map((value) => ({ oid: "2.5.4.10", value })),
    { oid: "2.5.4.3", value: commonName },
  ];
  return { subject, names: { ...noNames, ...names } };
}

const client = ["client auth", "digital signature"];
const noUsages = "usages did not match [client auth digital signature key encipherment]";

each<[rule: string, content: Content, usages: readonly string[], fault: string | undefined]>([
  ["without key encipherment", {}, client, undefined],
  ["with key encipherment", {}, [...client, "key encipherment"], undefined],
  ["usages may be repeated", {}, [...client, ...client], undefined],
  ["all usages are needed", {}, ["client auth"], noUsages],
  ["key encipherment replaces none", {}, ["client auth", "key encipherment"], noUsages],
  ["no other usage", {}, [...client, "server auth"], noUsages],
  ["a group", { organizations: [] }, client, "subject organization is not system:nodes"],
  [
    "one group only",
    { organizations: ["system:nodes", "system:masters"] },
    client,
    "subject organization is not system:nodes",
  ],
  [
    "the name of a node",
    { commonName: "system:admin" },
    client,
    "subject common name does not begin with system:node:",
  ],
  ["no DNS names", { names: { dnsNames: ["a"] } }, client, "DNS subjectAltNames are not allowed"],
  [
    "no addresses",
    { names: { ipAddresses: [Uint8Array.of(1, 1, 1, 1)] } },
    client,
    "IP subjectAltNames are not allowed",
  ],
  [
    "no mail",
    { names: { emailAddresses: ["a@b"] } },
    client,
    "Email subjectAltNames are not allowed",
  ],
  ["no URI", { names: { uris: ["a:b"] } }, client, "URI subjectAltNames are not allowed"],
])("kubeletClientFault: %s", (_, content, usages, fault) => {
  expect(kubeletClientFault(request(content), usages)).toBe(fault);
});

const serving = ["server auth", "digital signature"];
const dnsNames = ["a"];

each<[rule: string, content: Content, usages: readonly string[], fault: string | undefined]>([
  ["a DNS name", { names: { dnsNames } }, serving, undefined],
  ["an address", { names: { ipAddresses: [Uint8Array.of(1, 1, 1, 1)] } }, serving, undefined],
  ["at least one of them", {}, serving, "DNS or IP subjectAltName is required"],
  [
    "no mail",
    { names: { dnsNames, emailAddresses: ["a@b"] } },
    serving,
    "Email subjectAltNames are not allowed",
  ],
  [
    "no URI",
    { names: { dnsNames, uris: ["a:b"] } },
    serving,
    "URI subjectAltNames are not allowed",
  ],
  [
    "its usages",
    { names: { dnsNames } },
    client,
    "usages did not match [digital signature key encipherment server auth]",
  ],
  [
    "the name of a node",
    { commonName: "a", names: { dnsNames } },
    serving,
    "subject common name does not begin with system:node:",
  ],
])("kubeletServingFault: %s", (_, content, usages, fault) => {
  expect(kubeletServingFault(request(content), usages)).toBe(fault);
});
