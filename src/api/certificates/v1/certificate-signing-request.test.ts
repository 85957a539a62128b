import { expect, test } from "vitest";
import { verifySignature } from "../../../../test/verify-signature.ts";
import { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import {
  authority,
  base64,
  changed,
  ed25519Request,
  p256Request,
  pem,
  rsaRequest,
} from "../x509/fixtures.test-support.ts";
import { CertificateSigningRequest } from "./certificate-signing-request.ts";
import type { CertificateSigningRequestCondition } from "./certificate-signing-request-spec.ts";

for (const recorded of recordedCases("certificatesigningrequests"))
  test(`CertificateSigningRequest: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(CertificateSigningRequest as never, recorded, {
      without: ["spec.username", "spec.groups", "spec.extra"],
    });
  });

type Request = CertificateSigningRequest;
const requestOf = (der: Uint8Array): string => base64(pem("CERTIFICATE REQUEST", der));

const request = (spec: Partial<Request["spec"]> = {}, status: Request["status"] = {}): Request => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "Any Name", resourceVersion: "1", uid: "u" },
  spec: {
    request: requestOf(p256Request),
    signerName: "example.com/signer",
    usages: ["client auth"],
    ...spec,
  },
  status,
});
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root({ verifySignature });
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const created = (spec: Partial<Request["spec"]>): readonly string[] =>
  errors((at) => CertificateSigningRequest.validateCreate(request(spec), at));

const refusedRequests: readonly [rule: string, request: string, detail: string | undefined][] = [
  ["a key on P-256 signs", requestOf(p256Request), undefined],
  ["an Ed25519 key signs", requestOf(ed25519Request), undefined],
  ["an RSA key signs", requestOf(rsaRequest), undefined],
  [
    "text before the block is skipped",
    base64(`x\n${pem("CERTIFICATE REQUEST", rsaRequest)}`),
    undefined,
  ],
  [
    "the first block counts",
    base64(pem("CERTIFICATE", authority) + pem("CERTIFICATE REQUEST", rsaRequest)),
    "PEM block type must be CERTIFICATE REQUEST",
  ],
  [
    "the old name of the block is not taken",
    base64(pem("NEW CERTIFICATE REQUEST", rsaRequest)),
    "PEM block type must be CERTIFICATE REQUEST",
  ],
  [
    "a signature fits, ECDSA",
    requestOf(changed(p256Request, -1)),
    "x509: ECDSA verification failure",
  ],
  [
    "a signature fits, Ed25519",
    requestOf(changed(ed25519Request, -1)),
    "x509: Ed25519 verification failure",
  ],
  ["a signature fits, RSA", requestOf(changed(rsaRequest, -1)), "crypto/rsa: verification error"],
  ["it is not empty", requestOf(new Uint8Array()), "asn1: syntax error: sequence truncated"],
  ["it is whole", requestOf(rsaRequest.subarray(0, 100)), "asn1: syntax error: data truncated"],
  [
    "nothing follows",
    requestOf(Uint8Array.from([...rsaRequest, 0])),
    "asn1: syntax error: trailing data",
  ],
  [
    "it is a sequence",
    requestOf(Uint8Array.of(2, 1, 1)),
    "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false} certificateRequest @2",
  ],
];
test.each(refusedRequests)("CertificateSigningRequest: of the request, %s", (_, value, detail) => {
  expect(created({ request: value })).toEqual(
    detail === undefined ? [] : [`spec.request: Invalid value: "${value}": ${detail}`],
  );
});

const refusedSpecs: readonly [rule: string, Partial<Request["spec"]>, readonly string[]][] = [
  [
    "the legacy signer is not for new requests",
    { signerName: "kubernetes.io/legacy-unknown" },
    [
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ],
  [
    "a signer has a domain and a path",
    { signerName: "signer" },
    [
      "spec.signerName: Invalid value: \"signer\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
    ],
  ],
  [
    "the domain of a signer has two labels",
    { signerName: "com/signer" },
    [
      'spec.signerName: Invalid value: "com": should be a domain with at least two segments separated by dots',
    ],
  ],
  [
    "only the first wrong label of a signer is named",
    { signerName: "A.B.example.com/x" },
    [
      "spec.signerName: Invalid value: \"A.B.example.com\": validating label \"A\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [
    "the domain of a signer is not too long",
    { signerName: `${"abcdefghi.".repeat(26)}com/x` },
    ["spec.signerName: Too long: may not be more than 253 bytes"],
  ],
  [
    "a duration is at least ten minutes",
    { expirationSeconds: 599 },
    [
      "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 600 seconds (10 minutes)",
    ],
  ],
  ["ten minutes are enough", { expirationSeconds: 600 }, []],
  [
    "each repetition of a usage is named",
    { usages: ["any", "signing", "any", "any"] },
    ['spec.usages[2]: Duplicate value: "any"', 'spec.usages[3]: Duplicate value: "any"'],
  ],
];
test.each(refusedSpecs)("CertificateSigningRequest: %s", (_, spec, expected) => {
  expect(created(spec)).toEqual(expected);
});

const condition = (
  type: string,
  more: Partial<CertificateSigningRequestCondition> = {},
): CertificateSigningRequestCondition => ({
  type,
  status: "True",
  lastUpdateTime: "",
  lastTransitionTime: "",
  ...more,
});
const certificate = base64(pem("CERTIFICATE", authority));
const conditions = (...types: readonly string[]) => ({
  conditions: types.map((type) => condition(type)),
});

const updates: readonly [
  rule: string,
  subresource: "approval" | "status",
  status: Request["status"],
  old: Request["status"],
  errors: readonly string[],
][] = [
  ["approval approves", "approval", conditions("Approved"), {}, []],
  [
    "an approval stays",
    "approval",
    {},
    conditions("Approved"),
    ['status.conditions: Forbidden: updates may not remove a condition of type "Approved"'],
  ],
  [
    "the status does not approve",
    "status",
    conditions("Approved"),
    {},
    ['status.conditions: Forbidden: updates may not add a condition of type "Approved"'],
  ],
  ["the status tells of a failure", "status", conditions("Failed"), {}, []],
  [
    "a failure is True",
    "status",
    { conditions: [condition("Failed", { status: "False" })] },
    {},
    ['status.conditions[0].status: Unsupported value: "False": supported values: "True"'],
  ],
  [
    "other conditions have one of three statuses",
    "status",
    { conditions: [condition("Mine", { status: "?" })] },
    {},
    [
      'status.conditions[0].status: Unsupported value: "?": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    "conditions have a type and a status",
    "status",
    { conditions: [condition("", { status: "" })] },
    {},
    ["status.conditions[0].type: Required value", "status.conditions[0].status: Required value"],
  ],
  [
    "no type comes twice",
    "status",
    conditions("Mine", "Mine"),
    {},
    ['status.conditions[1].type: Duplicate value: "Mine"'],
  ],
  ["what was there twice may stay", "status", conditions("A", "A", "A"), conditions("A", "A"), []],
  ["the certificate is set once", "status", { certificate }, {}, []],
  ["the certificate stays", "status", { certificate }, { certificate }, []],
  [
    "a certificate takes no other's place",
    "status",
    { certificate },
    { certificate: base64(`\n${pem("CERTIFICATE", authority)}`) },
    ["status.certificate: Forbidden: updates may not modify existing certificate content"],
  ],
  [
    "approval sets no certificate",
    "approval",
    { certificate },
    {},
    ["status.certificate: Forbidden: updates may not set certificate content"],
  ],
  [
    "a certificate is in PEM form",
    "status",
    { certificate: base64("x") },
    {},
    [
      'status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block',
    ],
  ],
  [
    "only certificates are certificates",
    "status",
    { certificate: base64(pem("X", authority)) },
    {},
    [
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "X"',
    ],
  ],
  [
    "a certificate can be read",
    "status",
    { certificate: base64(pem("CERTIFICATE", Uint8Array.of(1, 2))) },
    {},
    ['status.certificate: Invalid value: "<certificate data>": x509: malformed certificate'],
  ],
];
test.each(updates)(
  "CertificateSigningRequest update: %s",
  (_, subresource, status, old, expected) => {
    const check = CertificateSigningRequest.strategy.updates?.[subresource]?.validate;
    expect(
      errors((at) => check?.(request({}, status) as never, request({}, old) as never, at)),
    ).toEqual(expected);
  },
);

test("CertificateSigningRequest: an update keeps the spec that was wrong already", () => {
  const wrong = request({ usages: ["x", "x"], signerName: "kubernetes.io/legacy-unknown" });
  expect(errors((at) => CertificateSigningRequest.validateUpdate(wrong, wrong, at))).toEqual([]);
});

const now = "2026-01-02T03:04:05Z";
const user = { name: "jane", groups: ["a"], extra: { k: ["v"] } };

test("CertificateSigningRequest: who asks is who is known to ask", () => {
  const draft = request({ username: "root", uid: "0", extra: { x: ["y"] } });
  CertificateSigningRequest.strategy.prepareCreate?.(draft as never, { now, user });
  const { username, uid, groups, extra } = draft.spec;
  expect({ username, uid, groups, extra }).toEqual({
    username: "jane",
    uid: undefined,
    groups: ["a"],
    extra: { k: ["v"] },
  });
});

test("CertificateSigningRequest: conditions are dated, and keep the time of their transition", () => {
  const before = "2026-01-01T00:00:00Z";
  const old = request({}, { conditions: [condition("Failed", { lastTransitionTime: before })] });
  const draft = request({}, conditions("Failed", "Mine")) as Draft<Request>;
  const { status } = CertificateSigningRequest.strategy.updates ?? {};
  status?.prepare(draft as never, old as never, { now, user });
  expect(
    draft.status.conditions?.map(({ lastUpdateTime, lastTransitionTime }) => [
      lastUpdateTime,
      lastTransitionTime,
    ]),
  ).toEqual([
    [now, before],
    [now, now],
  ]);
});

test("CertificateSigningRequest: the status keeps decisions as they were", () => {
  const dated = { lastUpdateTime: now, lastTransitionTime: now };
  const decision = condition("Approved", { reason: "mine", ...dated });
  const failed = condition("Failed", dated);
  const given = { conditions: [failed, condition("Approved", dated)] };
  const draft = request({}, given) as Draft<Request>;
  const old = request({ username: "jane" }, { conditions: [decision] });
  CertificateSigningRequest.strategy.updates?.status?.prepare(draft as never, old as never, {
    now,
    user,
  });
  expect([draft.spec.username, draft.status.conditions]).toEqual(["jane", [failed, decision]]);
});

test("CertificateSigningRequest: the table tells decision, failure and issue", () => {
  const column = CertificateSigningRequest.columns.find(({ name }) => name === "Condition");
  const cell = (status: Request["status"]) =>
    column?.cell(request({}, status) as never, { now: 0 });
  expect([
    cell({}),
    cell(conditions("Approved", "Denied")),
    cell({ ...conditions("Approved", "Failed"), certificate }),
  ]).toEqual(["Pending", "Denied", "Approved,Failed,Issued"]);
});
