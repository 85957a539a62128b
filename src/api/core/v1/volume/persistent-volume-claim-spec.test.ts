import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { value } from "../../../../schema/language/field.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { At } from "../../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { kind } from "../../../meta/v1/kind.ts";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { completeDataSources, dropDataSources } from "./persistent-volume-claim-data-source.ts";
import {
  claimSpecWarnings,
  PersistentVolumeClaimSpec,
  validateClaimSpec,
} from "./persistent-volume-claim-spec.ts";

const claims = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  scope: "Namespaced",
  doc: "A claim with nothing but its spec.",
  name: nameIsDnsSubdomain,
  fields: { spec: value(2, PersistentVolumeClaimSpec) },
  rules: [({ spec }, at) => validateClaimSpec(spec, at.child("spec"))],
  strategy: {
    prepare({ spec }) {
      dropDataSources(spec, undefined);
      completeDataSources(spec);
    },
  },
});

test.each(
  recordedCases("persistentvolumeclaims").filter(({ request }) => request.method === "POST"),
)("$name", (recorded) => {
  expectRecorded(claims, recorded, {
    without: ["status", "metadata.finalizers", "metadata.annotations"],
  });
});

function read(input: object): PersistentVolumeClaimSpec {
  const spec = normalise(PersistentVolumeClaimSpec, structuredClone(input))?.value;
  if (!spec) throw new Error("not a claim");
  applyDefaults(PersistentVolumeClaimSpec, spec);
  return spec;
}
const valid = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

each<[rule: string, change: object, errors: readonly string[]]>([
  ["a claim of one mode and some storage is valid", {}, []],
  [
    "an unknown access mode is refused, and does not count as another beside ReadWriteOncePod",
    { accessModes: ["ReadWriteOncePod", "Bogus"] },
    [
      'spec.accessModes: Unsupported value: "Bogus": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
    ],
  ],
  [
    "storage is more than nothing",
    { resources: { requests: { storage: "-1" } } },
    ['spec.resources[storage]: Invalid value: "-1": must be greater than zero'],
  ],
  [
    "the volume mode is one of two",
    { volumeMode: "Tape" },
    ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
  ],
  ["an empty class name asks for no class", { storageClassName: "" }, []],
  [
    "both data sources say the same",
    {
      dataSource: { kind: "PersistentVolumeClaim", name: "a" },
      dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
    },
    ["spec: Invalid value: {}: must match dataSourceRef"],
  ],
  [
    "the API group of a data source is a DNS subdomain",
    { dataSourceRef: { apiGroup: "a_b", kind: "K", name: "n" } },
    [
      "spec.dataSourceRef.apiGroup: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ],
  ],
  [
    "a data source of another namespace stands alone",
    {
      dataSource: { kind: "PersistentVolumeClaim", name: "a" },
      dataSourceRef: { kind: "PersistentVolumeClaim", name: "a", namespace: "n" },
    },
    ["spec: Invalid value: {}: may not be specified when dataSourceRef.namespace is specified"],
  ],
])("validateClaimSpec: %s", (_, change, errors) => {
  const at = At.root();
  validateClaimSpec(read({ ...valid, ...change }), at.child("spec"));
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});

test("claimSpecWarnings: fractions of a byte are told of, requests first", () => {
  const spec = read({
    ...valid,
    resources: { requests: { storage: "1500m" }, limits: { storage: "0.5" } },
  });
  expect(claimSpecWarnings(spec, "spec")).toEqual([
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    'spec.resources.limits[storage]: fractional byte value "500m" is invalid, must be an integer',
  ]);
});

test("dropDataSources: what is neither claim nor snapshot goes, unless the stored claim had it", () => {
  const other = { ...valid, dataSource: { apiGroup: "g.io", kind: "K", name: "n" } };
  const created = read(other);
  const updated = read(other);
  dropDataSources(created as never, undefined);
  dropDataSources(updated as never, read(other));
  expect([created.dataSource, updated.dataSource?.kind]).toEqual([undefined, "K"]);
});
