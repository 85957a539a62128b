import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  base64,
  ed25519Request,
  p256Request,
  pem,
} from "../../../api/certificates/x509/fixtures.test-support.ts";
import { kindAt } from "../attributes.test-support.ts";
import { rejectionOfNode } from "./node-requests.test-support.ts";

const encoded = (der: Uint8Array) => base64(pem("CERTIFICATE REQUEST", der));
const [own, other] = [encoded(p256Request), encoded(ed25519Request)];
const rejected = (why: string) =>
  `certificatesigningrequests.certificates.k8s.io "a" is forbidden: ${why}`;
const serving = "kubernetes.io/kubelet-serving";
const client = "kubernetes.io/kube-apiserver-client-kubelet";
const notOwn = rejected("can only create a node CSR with CN=system:node:a");

each<[what: string, signerName: string, request: string, wanted: string | undefined]>([
  ["a serving certificate of its own", serving, own, undefined],
  ["a client certificate of its own", client, own, undefined],
  ["a serving certificate of another", serving, other, notOwn],
  ["a client certificate of another", client, other, notOwn],
  ["another certificate", "example.com/other", other, undefined],
  [
    "what is no request",
    serving,
    base64("x"),
    rejected("unable to parse csr: PEM block type must be CERTIFICATE REQUEST"),
  ],
  [
    "a damaged request",
    serving,
    encoded(new Uint8Array([1])),
    rejected("unable to parse csr: asn1: syntax error: truncated tag or length"),
  ],
])("signingRequests: %s", async (_, signerName, request, wanted) => {
  const kind = kindAt("certificates.k8s.io", "certificatesigningrequests");
  const given = { address: { kind, namespace: "" }, spec: { signerName, request } };
  expect(await rejectionOfNode(given)).toBe(wanted);
  expect(await rejectionOfNode({ ...given, operation: "UPDATE" })).toBeUndefined();
});
