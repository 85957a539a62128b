import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, updated } from "../../kind.test-support.ts";
import { IPAddress as Beta } from "../v1beta1/ip-address.ts";
import { IPAddress } from "./ip-address.ts";

const address = (name: string, parentRef?: object) => ({ metadata: { name }, spec: { parentRef } });
const service = { resource: "services", namespace: "n", name: "s" };

each<[rule: string, body: object, errors: readonly string[]]>([
  ["an address belongs to something", address("10.0.0.1"), ["spec.parentRef: Required value"]],
  [
    "its name is in canonical form",
    address("2001:DB8::1", service),
    ['metadata.name: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")'],
  ],
  [
    "its name has no leading zeros",
    address("10.0.0.01", service),
    ['metadata.name: Invalid value: "10.0.0.01": must not have leading 0s'],
  ],
  [
    "names can stand in a path, and a group is a domain",
    address("10.0.0.1", { group: "a.b", resource: "a%", namespace: "..", name: "s/s" }),
    [
      `spec.parentRef.resource: Invalid value: "a%": may not contain '%'`,
      `spec.parentRef.name: Invalid value: "s/s": may not contain '/'`,
      `spec.parentRef.namespace: Invalid value: "..": may not be '..'`,
    ],
  ],
])("IPAddress: %s", (_, body, errors) => {
  expect([created(IPAddress, body), created(Beta, body)]).toEqual([errors, errors]);
});

test("IPAddress: whom it belongs to never changes", () => {
  const old = address("10.0.0.1", service);
  const changed = address("10.0.0.1", { ...service, name: "t" });
  expect([updated(IPAddress, old, old), updated(IPAddress, old, changed)]).toEqual([
    [],
    [
      'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n","Name":"t"}: field is immutable',
    ],
  ]);
});

test("IPAddress: a row names the object", () => {
  expect([
    cellsOf(IPAddress, address("10.0.0.1", service)),
    cellsOf(IPAddress, address("10.0.0.1", { group: "G", resource: "R", name: "x" })),
  ]).toEqual([["services/n/s"], ["r.g/x"]]);
});

test("IPAddress: a beta is stored as what is stable, and comes back the same", () => {
  const { conversion } = Beta;
  const beta = { apiVersion: "networking.k8s.io/v1beta1", kind: "IPAddress", metadata: {} };
  const stored = conversion?.toStored(beta as never);
  expect([stored, conversion?.fromStored(stored as never)]).toEqual([
    { ...beta, apiVersion: "networking.k8s.io/v1" },
    beta,
  ]);
});
