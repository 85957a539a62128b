import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { openParts, resources } from "../../verbs/verb-parts.test-support.ts";
import { allowing, rejectionBy } from "../attributes.test-support.ts";
import { podCertificateSigning } from "./pod-certificate-signing.ts";

const issued = { conditions: [{ type: "Issued", status: "True" }] };
const signerName = "example.com/own";

each<[what: string, allowed: readonly string[], status: object, wanted: string | undefined]>([
  [
    "by somebody",
    [],
    issued,
    'PodCertificateRequest.certificates.k8s.io "a" is invalid: spec.signerName: Forbidden: User "admin" is not permitted to "sign" for signer "example.com/own"',
  ],
  ["by the signer", [signerName], issued, undefined],
  ["by a signer of the domain", ["example.com/*"], issued, undefined],
  ["that changes nothing", [], {}, undefined],
])("podCertificateSigning: an outcome %s", async (_, names, status, wanted) => {
  const allowed = names.map((name) => `sign certificates.k8s.io/signers ${name}`);
  const opened = await openParts();
  const parts = { ...opened, access: { ...opened.access, authorizer: allowing(...allowed) } };
  const kind = resources.find("certificates.k8s.io", "v1beta1", "podcertificaterequests");
  expect(
    await rejectionBy(podCertificateSigning(parts), {
      operation: "UPDATE",
      subresource: "status",
      address: { kind: kind as never },
      more: { status },
      old: { spec: { signerName }, status: {} },
    }),
  ).toEqual(wanted);
});
