import { expect, test } from "vitest";
import {
  base64,
  mastersRequest,
  p256Request,
  pem,
} from "../../../api/certificates/x509/fixtures.test-support.ts";
import { kindAt, rejectionBy } from "../attributes.test-support.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";

const refused = (why: string) =>
  `certificatesigningrequests.certificates.k8s.io "a" is forbidden: ${why}`;
const client = "kubernetes.io/kube-apiserver-client";
const requestOf = (der: Uint8Array) => base64(pem("CERTIFICATE REQUEST", der));

test.each([
  [
    "who would be a master",
    client,
    requestOf(mastersRequest),
    refused(`use of ${client} signer with system:masters group is not allowed`),
  ],
  ["a master for another signer", "example.com/own", requestOf(mastersRequest), undefined],
  ["another group", client, requestOf(p256Request), undefined],
  [
    "what is no request",
    client,
    base64("x"),
    refused("failed to parse CSR: PEM block type must be CERTIFICATE REQUEST"),
  ],
])("certificateSubjectRestriction: %s", async (_, signerName, request, wanted) => {
  const kind = kindAt("certificates.k8s.io", "certificatesigningrequests");
  const given = { address: { kind, namespace: "" }, spec: { signerName, request } };
  expect(await rejectionBy(certificateSubjectRestriction, given)).toEqual(wanted);
});
