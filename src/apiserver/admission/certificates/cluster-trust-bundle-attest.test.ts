import { expect, test } from "vitest";
import type { AnyKind } from "../../objects/object.ts";
import { openParts, resources } from "../../verbs/verb-parts.test-support.ts";
import { allowing, rejectionBy } from "../attributes.test-support.ts";
import { clusterTrustBundleAttest } from "./cluster-trust-bundle-attest.ts";

const kind = resources.find("certificates.k8s.io", "v1beta1", "clustertrustbundles") as AnyKind;
const refused =
  'clustertrustbundles.certificates.k8s.io "a" is forbidden: user not permitted to attest for signerName "example.com/own"';
const spec = { signerName: "example.com/own", trustBundle: "x" };
const old = (more: object) => ({
  kind: kind.kind,
  apiVersion: "certificates.k8s.io/v1beta1",
  metadata: { name: "a", finalizers: ["a/b"], ...more },
  spec,
});

test.each([
  ["a new bundle", [], { spec }, refused],
  ["a new bundle of who may", ["example.com/own"], { spec }, undefined],
  ["a bundle of nobody", [], { spec: { trustBundle: "x" } }, undefined],
  [
    "another bundle",
    [],
    { operation: "UPDATE", spec: { ...spec, trustBundle: "y" }, old: old({}) },
    refused,
  ],
  ["other labels", [], { operation: "UPDATE", spec, old: old({ labels: { a: "b" } }) }, refused],
  ["other finalizers alone", [], { operation: "UPDATE", spec, old: old({}) }, undefined],
] as const)("clusterTrustBundleAttest: %s", async (_, names, given, wanted) => {
  const allowed = names.map((name) => `attest certificates.k8s.io/signers ${name}`);
  const opened = await openParts();
  const parts = { ...opened, access: { ...opened.access, authorizer: allowing(...allowed) } };
  const request = {
    ...given,
    address: { kind, namespace: "" },
    more: { kind: kind.kind, apiVersion: "certificates.k8s.io/v1beta1" },
  };
  const plugin = clusterTrustBundleAttest(parts);
  expect(await rejectionBy(plugin, request)).toEqual(wanted);
});
