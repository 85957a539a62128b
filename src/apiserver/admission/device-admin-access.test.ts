import { expect, test } from "vitest";
import { kinds } from "../../api/kinds.generated.ts";
import type { AnyKind } from "../objects/object.ts";
import { coreKind, openParts, write } from "../verbs/verb-parts.test-support.ts";
import { admissionChain } from "./admission.ts";
import { attributes } from "./attributes.test-support.ts";
import { deviceAdminAccess } from "./device-admin-access.ts";

const admin = { requests: [{ name: "a" }, { name: "b", exactly: { adminAccess: true } }] };
const flat = { requests: [{ name: "a", adminAccess: true }] };
const granted = { allocation: { devices: { results: [{ adminAccess: true }] } } };
const rejection = (kind: string, field: string) =>
  `${kind}.resource.k8s.io "a" is invalid: ${field}: Forbidden: admin access to devices requires the \`resource.kubernetes.io/admin-access: true\` label on the containing namespace`;

const cases: readonly [
  rule: string,
  given: { kind: string; version?: string; namespace?: string; spec?: object; old?: object },
  outcome: string,
][] = [
  ["others ask for nothing", { kind: "ResourceClaim", spec: {} }, "admitted"],
  [
    "a claim in a namespace without the label is refused",
    { kind: "ResourceClaim", spec: { devices: admin } },
    rejection("ResourceClaim", "spec.devices.requests[1].adminAccess"),
  ],
  [
    "a claim in a namespace with the label is admitted",
    { kind: "ResourceClaim", namespace: "admin", spec: { devices: admin } },
    "admitted",
  ],
  [
    "a claim of v1beta1 is read in its own form",
    { kind: "ResourceClaim", version: "v1beta1", spec: { devices: flat } },
    rejection("ResourceClaim", "spec.devices.requests[0].adminAccess"),
  ],
  [
    "a template is refused in the words of a claim",
    { kind: "ResourceClaimTemplate", spec: { spec: { devices: admin } } },
    rejection("ResourceClaimTemplate", "spec.devices.requests[1].adminAccess"),
  ],
  [
    "what is granted anew is refused",
    { kind: "ResourceClaim", old: {} },
    rejection("ResourceClaim", "status.allocation.devices.results[0].adminAccess"),
  ],
  ["what was granted stays", { kind: "ResourceClaim", old: { status: granted } }, "admitted"],
];

test.each(cases)("deviceAdminAccess: %s", async (_, given, outcome) => {
  const { kind: name, version = "v1", namespace = "default", spec, old } = given;
  const parts = await openParts();
  await write(parts, coreKind("Namespace"), "default", {});
  await write(parts, coreKind("Namespace"), "admin", {
    metadata: { name: "admin", labels: { "resource.kubernetes.io/admin-access": "true" } },
  });
  const kind = kinds.find(
    (each) => each.group === "resource.k8s.io" && each.version === version && each.kind === name,
  ) as AnyKind;
  const request = attributes({
    kind: "Pod",
    operation: old ? "UPDATE" : "CREATE",
    address: { kind, namespace },
    ...(spec ? { spec } : {}),
    ...(old ? { old } : {}),
  });
  const object = old ? { ...request.object, status: granted } : request.object;
  const plugin = deviceAdminAccess(parts);
  const answered = admissionChain([plugin])
    .validate({ ...request, object } as never)
    .then(
      () => "admitted",
      (error: Error) => error.message,
    );
  expect(await answered).toBe(outcome);
});
