import { expect, test } from "vitest";
import { rejectionBy } from "./attributes.test-support.ts";
import { denyServiceExternalIps } from "./deny-service-external-ips.ts";

const refused = 'services "a" is forbidden: Use of external IPs is denied by admission control';
const old = { spec: { externalIPs: ["1.1.1.1", "2.2.2.2"] } };

test.each([
  ["a new service with one", { spec: { externalIPs: ["1.1.1.1"] } }, refused],
  ["a new service with none", { spec: { externalIPs: [] } }, undefined],
  ["one that it had", { operation: "UPDATE", old, spec: { externalIPs: ["2.2.2.2"] } }, undefined],
  [
    "one more",
    { operation: "UPDATE", old, spec: { externalIPs: ["2.2.2.2", "3.3.3.3"] } },
    refused,
  ],
  [
    "its status",
    { operation: "UPDATE", old: {}, subresource: "status", spec: old.spec },
    undefined,
  ],
] as const)("denyServiceExternalIps: %s", async (_, given, wanted) => {
  expect(await rejectionBy(denyServiceExternalIps, { kind: "Service", ...given })).toEqual(wanted);
});
