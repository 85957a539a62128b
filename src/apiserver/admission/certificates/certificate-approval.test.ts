import { expect, test } from "vitest";
import { openParts } from "../../verbs/verb-parts.test-support.ts";
import { allowing, kindAt, rejectionBy } from "../attributes.test-support.ts";
import { certificateApproval } from "./certificate-approval.ts";

const refused =
  'certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to approve requests with signerName "example.com/own"';
const signers = "certificates.k8s.io/signers";

test.each([
  ["who may do nothing", [], "approval", refused],
  ["who may for the signer", [`approve ${signers} example.com/own`], "approval", undefined],
  ["who may for the domain", [`approve ${signers} example.com/*`], "approval", undefined],
  [
    "who may for what the client made of it",
    [`approve ${signers} x.io/other`],
    "approval",
    refused,
  ],
  ["who may sign only", [`sign ${signers} example.com/own`], "approval", refused],
  ["another part", [], "status", undefined],
])("certificateApproval: %s", async (_, allowed, subresource, wanted) => {
  const opened = await openParts();
  const parts = { ...opened, access: { ...opened.access, authorizer: allowing(...allowed) } };
  const kind = kindAt("certificates.k8s.io", "certificatesigningrequests");
  const outcome = rejectionBy(certificateApproval(parts), {
    operation: "UPDATE",
    subresource,
    address: { kind, namespace: "" },
    spec: { signerName: "x.io/other" },
    old: { spec: { signerName: "example.com/own" } },
  });
  expect(await outcome).toEqual(wanted);
});
