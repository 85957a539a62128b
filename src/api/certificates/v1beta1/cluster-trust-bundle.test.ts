import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { authority, changed, leaf, pem } from "../x509/fixtures.test-support.ts";
import { ClusterTrustBundle } from "./cluster-trust-bundle.ts";

const trusted = pem("CERTIFICATE", authority);
const bundle = (
  spec: Partial<ClusterTrustBundle["spec"]> = {},
  metadata: ClusterTrustBundle["metadata"] = { name: "a", resourceVersion: "1" },
): ClusterTrustBundle => ({
  apiVersion: "certificates.k8s.io/v1beta1",
  kind: "ClusterTrustBundle",
  metadata,
  spec: { trustBundle: trusted, ...spec },
});
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const created = (spec: Partial<ClusterTrustBundle["spec"]>, name = "a"): readonly string[] =>
  errors((at) => ClusterTrustBundle.validateCreate(bundle(spec, { name }), at));

const bundles: readonly [rule: string, trustBundle: string, details: readonly string[]][] = [
  ["text between blocks is skipped", `# mine\n${trusted}# end`, []],
  ["there is one anchor at least", "# none", ["at least one trust anchor must be provided"]],
  ["no anchor comes twice", trusted + trusted, ["duplicate trust anchor (indices [0 1])"]],
  [
    "each wrong entry is named",
    pem("X", authority) +
      trusted.replace("-----\n", "-----\na: b\n\n") +
      pem("CERTIFICATE", authority.subarray(1)) +
      pem("CERTIFICATE", leaf),
    [
      "entry 0 has bad block type: X",
      "entry 1 has PEM block headers",
      "entry 2 does not parse as X.509",
      "entry 3 does not have the CA bit set",
    ],
  ],
  ["a signature is not looked at", pem("CERTIFICATE", changed(authority, -1)), []],
];
test.each(bundles)("ClusterTrustBundle: %s", (_, trustBundle, details) => {
  expect(created({ trustBundle })).toEqual(
    details.map((detail) => `spec.trustBundle: Invalid value: "<value omitted>": ${detail}`),
  );
});

test("ClusterTrustBundle: a bundle is not larger than a mebibyte", () => {
  expect(created({ trustBundle: "x".repeat(1024 * 1024 + 1) })).toEqual([
    "spec.trustBundle: Too long: may not be more than 1048576 bytes",
  ]);
});

test("ClusterTrustBundle: the name begins with that of the signer", () => {
  const signerName = "example.com/foo";
  expect([
    created({ signerName }, "example.com:foo:v1"),
    created({ signerName }, "a"),
    created({}, "example.com:foo:v1"),
  ]).toEqual([
    [],
    [
      'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/foo must be named with prefix example.com:foo:',
    ],
    [
      'metadata.name: Invalid value: "example.com:foo:v1": ClusterTrustBundle without signer name must not have ":" in its name',
    ],
  ]);
});

test("ClusterTrustBundle: finalizers have a domain", () => {
  const metadata = { name: "a", finalizers: ["mine"] };
  expect(errors((at) => ClusterTrustBundle.validateCreate(bundle({}, metadata), at))).toEqual([
    'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

test("ClusterTrustBundle: an update keeps the signer, and what it does not touch", () => {
  const update = (object: ClusterTrustBundle, old: ClusterTrustBundle) =>
    errors((at) => ClusterTrustBundle.validateUpdate(object, old, at));
  const metadata = { name: "example.com:foo:v1", resourceVersion: "1" };
  const signed = bundle({ signerName: "example.com/foo" }, metadata);
  expect([
    update(bundle({ trustBundle: "" }), bundle({ trustBundle: "" })),
    update(signed, bundle({ signerName: "example.com/bar" }, metadata)),
  ]).toEqual([[], ['spec.signerName: Invalid value: "example.com/foo": field is immutable']]);
});
