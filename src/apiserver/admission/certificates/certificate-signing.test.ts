import { expect, test } from "vitest";
import { openParts } from "../../verbs/verb-parts.test-support.ts";
import { allowing, kindAt, rejectionBy } from "../attributes.test-support.ts";
import { certificateSigning } from "./certificate-signing.ts";

const refused =
  'certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to sign requests with signerName "example.com/own"';
const failed = { conditions: [{ type: "Failed", status: "True" }] };

test.each([
  ["a certificate", [], { certificate: "eA==" }, {}, refused],
  ["a certificate, by the signer", ["example.com/own"], { certificate: "eA==" }, {}, undefined],
  ["a certificate, by the domain", ["example.com/*"], { certificate: "eA==" }, {}, undefined],
  ["a certificate, by another", ["x.io/*"], { certificate: "eA==" }, {}, refused],
  ["another certificate", [], { certificate: "eA==" }, { certificate: "eQ==" }, refused],
  ["a condition", [], failed, {}, refused],
  [
    "nothing new",
    [],
    { ...failed, certificate: "eA==" },
    { ...failed, certificate: "eA==" },
    undefined,
  ],
  ["an empty list for none", [], { conditions: [] }, {}, undefined],
])("certificateSigning: %s", async (_, names, status, old, wanted) => {
  const allowed = names.map((name) => `sign certificates.k8s.io/signers ${name}`);
  const opened = await openParts();
  const parts = { ...opened, access: { ...opened.access, authorizer: allowing(...allowed) } };
  const kind = kindAt("certificates.k8s.io", "certificatesigningrequests");
  const given = {
    operation: "UPDATE",
    address: { kind, namespace: "" },
    more: { status },
    old: { spec: { signerName: "example.com/own" }, status: old },
  } as const;
  const plugin = certificateSigning(parts);
  expect(await rejectionBy(plugin, { ...given, subresource: "status" })).toEqual(wanted);
  expect(await rejectionBy(plugin, { ...given, subresource: "approval" })).toEqual(undefined);
});
