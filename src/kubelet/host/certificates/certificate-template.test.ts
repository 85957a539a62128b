import { X509Certificate } from "node:crypto";
import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { selfSigned } from "../../../platform/pki/self-signed.ts";
import {
  type CertificateTemplate,
  fulfilsTemplate,
  servingTemplate,
} from "./certificate-template.ts";
import { rotationTime } from "./rotation-time.ts";

const subject = { commonName: "system:node:n", organizations: ["system:nodes"] };

each<[addresses: readonly [string, string][], template: CertificateTemplate | undefined]>([
  [[], undefined],
  [[["Hostname", "n"]], undefined],
  [
    [
      ["Hostname", "n"],
      ["InternalIP", "10.0.0.2"],
      ["ExternalIP", "10.0.0.1"],
      ["InternalDNS", "n.example.com"],
      ["ExternalDNS", "a.example.com"],
      ["ExternalIP", "FD00::0:1"],
      ["InternalIP", "10.0.0.2"],
    ],
    {
      subject,
      dnsNames: ["a.example.com", "n", "n.example.com"],
      ips: ["10.0.0.1", "10.0.0.2", "fd00::1"],
    },
  ],
  [
    [
      ["Hostname", "10.0.0.1"],
      ["InternalIP", "none"],
      ["InternalDNS", ""],
    ],
    { subject, dnsNames: [], ips: ["10.0.0.1"] },
  ],
])("servingTemplate: %j", (addresses, template) => {
  const list = addresses.map(([type, address]) => ({ type, address }));
  expect(servingTemplate("n", list)).toEqual(template);
});

const now = new Date("2026-01-01T00:00:00Z");
const { cert } = selfSigned({ name: "n", ips: ["10.0.0.1", "fd00::1"], now });
const commonName = `n@${now.getTime() / 1000}`;

each<[needed: string, template: Partial<CertificateTemplate>, fulfils: boolean]>([
  ["nothing more", {}, true],
  ["its names", { dnsNames: ["n"], ips: ["fd00::1", "10.0.0.1"] }, true],
  ["another name", { dnsNames: ["m"] }, false],
  ["another address", { ips: ["10.0.0.2"] }, false],
  ["another subject", { subject: { commonName: "n", organizations: [] } }, false],
  ["a group", { subject: { commonName, organizations: ["system:nodes"] } }, false],
])("fulfilsTemplate: %s", (_, template, fulfils) => {
  const own = { subject: { commonName, organizations: [] }, dnsNames: [], ips: [] };
  expect(fulfilsTemplate(new X509Certificate(cert), { ...own, ...template })).toBe(fulfils);
});

each<[chance: number, time: number]>([
  [0, 1700],
  [0.5, 1800],
  [0.99, 1898],
])("rotationTime: with a chance of %d it is %d", (chance, time) => {
  const validity = { notBefore: 1000, notAfter: 2000 };
  expect(rotationTime(validity, { next: () => chance })).toBeCloseTo(time);
});
