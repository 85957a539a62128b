import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect, test } from "vitest";
import { verifySignature } from "../../../../test/verify-signature.ts";
import { encodeBase64 } from "../../../base/base64.ts";
import { At } from "../../../schema/language/report.ts";
import { write } from "../../write.test-support.ts";
import {
  authority,
  changed,
  ed25519Request,
  leaf,
  p256Request,
  pem,
  rsaRequest,
} from "../x509/fixtures.test-support.ts";
import { PodCertificateRequest } from "./pod-certificate-request.ts";
import type {
  PodCertificateRequestSpec,
  PodCertificateRequestStatus,
} from "./pod-certificate-request-spec.ts";

const request = (
  spec: Partial<PodCertificateRequestSpec> = {},
  status: PodCertificateRequestStatus = {},
): PodCertificateRequest => ({
  apiVersion: "certificates.k8s.io/v1beta1",
  kind: "PodCertificateRequest",
  metadata: { name: "a", namespace: "n", resourceVersion: "1" },
  spec: {
    signerName: "example.com/signer",
    podName: "p",
    podUID: "pod-uid",
    serviceAccountName: "s",
    serviceAccountUID: "u",
    nodeName: "n",
    nodeUID: "u",
    maxExpirationSeconds: 86400,
    pkixPublicKey: "",
    proofOfPossession: "",
    stubPKCS10Request: encodeBase64(p256Request),
    ...spec,
  },
  status,
});
const errors = (check: (at: At) => void, now = ""): readonly string[] => {
  const at = At.root({ write: { ...write, now }, verifySignature });
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const stub = (der: Uint8Array) => ({ stubPKCS10Request: encodeBase64(der) });

const possessed = (pair: { publicKey: KeyObject; privateKey: KeyObject }, hash: string | null) => ({
  stubPKCS10Request: "",
  pkixPublicKey: pair.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  proofOfPossession: sign(hash, Buffer.from("pod-uid"), pair.privateKey).toString("base64"),
});
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const p224 = generateKeyPairSync("ec", { namedCurve: "P-224" });
const ed25519 = generateKeyPairSync("ed25519");

const specs: readonly [rule: string, Partial<PodCertificateRequestSpec>, readonly string[]][] = [
  ["a request with a key on P-256 is taken", {}, []],
  ["a request with an Ed25519 key is taken", stub(ed25519Request), []],
  [
    "RSA keys are large",
    stub(rsaRequest),
    [
      'spec.stubPKCS10Request: Invalid value: "2048-bit modulus": RSA keys must have modulus size 3072 or 4096',
    ],
  ],
  [
    "a request is signed",
    stub(changed(p256Request, -1)),
    ["spec.stubPKCS10Request: Invalid value: invalid signature"],
  ],
  [
    "a request can be read",
    stub(Uint8Array.of(1)),
    ["spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR"],
  ],
  [
    "a request is not too long",
    stub(new Uint8Array(10 * 1024 + 1)),
    ["spec.stubPKCS10Request: Too long: may not be more than 10240 bytes"],
  ],
  ["a key on P-384 with a proof is taken", possessed(p384, "SHA256"), []],
  ["an Ed25519 key with a proof is taken", possessed(ed25519, null), []],
  [
    "a proof is of the pod",
    { ...possessed(ed25519, null), podUID: "other" },
    ["spec.proofOfPossession: Invalid value: could not verify proof-of-possession signature"],
  ],
  [
    "not every curve is taken",
    possessed(p224, "SHA256"),
    [
      'spec.pkixPublicKey: Invalid value: "curve P-224": elliptic public keys must use curve P256 or P384',
    ],
  ],
  [
    "a request or a key is given",
    { ...possessed(ed25519, null), ...stub(p256Request) },
    [
      "spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set",
    ],
  ],
  [
    "certificates live an hour to 91 days",
    { maxExpirationSeconds: 3599 },
    ["spec.maxExpirationSeconds: Invalid value: 3599: must be in the range [3600, 7862400]"],
  ],
  [
    "those of our own signers live a day at most",
    { maxExpirationSeconds: 86401, signerName: "kubernetes.io/kube-apiserver-client-pod" },
    ["spec.maxExpirationSeconds: Invalid value: 86401: must be in the range [3600, 86400]"],
  ],
  [
    "uids are given and not too long",
    { podUID: "", nodeUID: "x".repeat(129) },
    [
      'spec.podUID: Invalid value: "": must not be empty',
      "spec.nodeUID: Too long: may not be more than 128 bytes",
    ],
  ],
  [
    "annotations have a domain, whatever their case",
    { unverifiedUserAnnotations: { Mine: "x", "Example.com/A": "y" } },
    [
      'spec.unverifiedUserAnnotations: Invalid value: "mine": must be a domain-prefixed key (such as "acme.io/foo")',
    ],
  ],
];
test.each(specs)("PodCertificateRequest: %s", (_, spec, expected) => {
  expect(errors((at) => PodCertificateRequest.validateCreate(request(spec), at))).toEqual(expected);
});

const condition = (type: string, status = "True") => ({
  type,
  status,
  lastTransitionTime: "2026-11-15T07:15:00Z",
  reason: "R",
  message: "",
});
const chain = pem("CERTIFICATE", leaf);
const issued: PodCertificateRequestStatus = {
  conditions: [condition("Issued")],
  certificateChain: chain,
  notBefore: "2026-11-15T07:15:02Z",
  beginRefreshAt: "2026-11-16T00:00:00Z",
  notAfter: "2026-11-16T07:15:02Z",
};
const denied = { conditions: [condition("Denied")] };

const statuses: readonly [
  rule: string,
  status: PodCertificateRequestStatus,
  old: PodCertificateRequestStatus,
  errors: readonly string[],
][] = [
  ["the certificate asked for is issued", issued, {}, []],
  ["a request is denied", denied, {}, []],
  [
    "what is decided stays",
    issued,
    denied,
    ["status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed"],
  ],
  [
    "a denial has no certificate",
    { ...denied, certificateChain: chain },
    {},
    [
      "status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest",
    ],
  ],
  [
    "nothing is written without an outcome",
    { certificateChain: chain },
    {},
    [
      'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
    ],
  ],
  [
    "there is one outcome, of those that are known, and it is True",
    { conditions: [condition("Issued"), condition("Failed", "False"), condition("Mine")] },
    {},
    [
      'status.conditions.[1].type: Invalid value: "Failed": There may be at most one condition with type "Issued", "Denied", or "Failed"',
      'status.conditions.[1].status: Unsupported value: "False": supported values: "True"',
      'status.conditions.[2].type: Unsupported value: "Mine": supported values: "Issued", "Denied", "Failed"',
    ],
  ],
  [
    "a certificate is in the chain",
    { ...issued, certificateChain: "x" },
    {},
    [
      'status.certificateChain: Invalid value: "x": issued certificate chain must contain at least one certificate',
    ],
  ],
  [
    "all times are told",
    { conditions: issued.conditions, certificateChain: chain },
    {},
    [
      "status.notBefore: Required value: must be present and consistent with the issued certificate",
      "status.notAfter: Required value: must be present and consistent with the issued certificate",
      "status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]",
    ],
  ],
  [
    "the end is that of the certificate",
    { ...issued, notAfter: "2026-11-16T07:15:03Z" },
    {},
    [
      'status.notAfter: Invalid value: "2026-11-16T07:15:03Z": must be set to the NotAfter time encoded in the leaf certificate',
    ],
  ],
  [
    "the next one is asked for in time",
    { ...issued, beginRefreshAt: "2026-11-16T07:05:03Z" },
    {},
    [
      'status.beginRefreshAt: Invalid value: "2026-11-16T07:05:03Z": must be at least 10 minutes before status.notAfter',
    ],
  ],
  [
    "the rest of the chain are certificates",
    { ...issued, certificateChain: chain + pem("X", authority) },
    {},
    [
      `status.certificateChain: Invalid value: ${JSON.stringify(chain + pem("X", authority))}: issued certificate chain must consist entirely of CERTFICATE PEM blocks`,
    ],
  ],
];
const now = "2026-11-15T07:16:00Z";
test.each(statuses)("PodCertificateRequest status: %s", (_, status, old, expected) => {
  expect(
    errors(
      (at) => PodCertificateRequest.validateStatusUpdate(request({}, status), request({}, old), at),
      now,
    ),
  ).toEqual(expected);
});

test("PodCertificateRequest status: the certificate is new, and of the key that was asked for", () => {
  const update = (spec: object, time: string) =>
    errors(
      (at) =>
        PodCertificateRequest.validateStatusUpdate(request(spec, issued), request(spec, {}), at),
      time,
    );
  expect([update({}, "2026-11-15T07:20:02Z"), update(stub(ed25519Request), now)]).toEqual([
    [
      `status.notBefore: Invalid value: "${issued.notBefore}": must be set to within 5 minutes of kube-apiserver's current time`,
    ],
    [
      `status.certificateChain: Invalid value: ${JSON.stringify(chain)}: leaf certificate was not issued to the requested public key`,
    ],
  ]);
});

test("PodCertificateRequest: the spec never changes, and is shown in Go's names", () => {
  const changedName = request({ podName: "q", ...stub(new Uint8Array()) });
  expect(errors((at) => PodCertificateRequest.validateUpdate(changedName, request(), at))).toEqual([
    'spec: Invalid value: {"SignerName":"example.com/signer","PodName":"q","PodUID":"pod-uid","ServiceAccountName":"s","ServiceAccountUID":"u","NodeName":"n","NodeUID":"u","MaxExpirationSeconds":86400,"PKIXPublicKey":"","ProofOfPossession":"","StubPKCS10Request":"","UnverifiedUserAnnotations":null}: field is immutable',
  ]);
});
