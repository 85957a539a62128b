import { microTime, named, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { struct } from "../../../schema/language/struct.ts";
import { isConfigMapKey } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { type KindDefinition, kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { validateStrategy } from "../v1/lease.ts";
import { compareSemanticVersions, parseSemanticVersion, zeroVersion } from "./semantic-version.ts";

const specIn = (version: string) =>
  struct(`io.k8s.api.coordination.${version}.LeaseCandidateSpec`, {
    leaseName: string(1).always().expected().doc("The lease that the candidate would hold."),
    pingTime: microTime(2).doc("When it was last asked whether it is still there."),
    renewTime: microTime(3).doc("When it last said so."),
    binaryVersion: string(4).always().expected().doc("The version of its binary."),
    emulationVersion: string(5).doc("The version as which it behaves."),
    strategy: named(6, "v1.CoordinatedLeaseStrategy")
      .expected()
      .known("OldestEmulationVersion")
      .doc("How the holder is to be chosen."),
  })
    .rules(validateSpec)
    .doc("Somebody who would hold a lease.");
type Fields = ReturnType<typeof fieldsIn>;

const fieldsIn = (version: string) => ({
  spec: value(2, specIn(version)).expected().doc("Which lease, and what the candidate is."),
});

/** A LeaseCandidate in one of its versions, which are equal. */
export const leaseCandidateIn = (version: "v1beta1" | "v1alpha2"): KindDefinition<Fields> => ({
  group: "coordination.k8s.io",
  version,
  kind: "LeaseCandidate",
  plural: "leasecandidates",
  scope: "Namespaced",
  doc: "Somebody who would hold a lease, if the server chose them.",
  name: (name) => isConfigMapKey(name),
  anyFinalizer: true,
  fields: fieldsIn(version),
  updateRules({ spec }, old, { at, rules }) {
    rules();
    if (spec.leaseName !== old.spec.leaseName)
      at.invalid("spec.leaseName", spec.leaseName, "field is immutable");
  },
  strategy: { createOnUpdate: true, conditionalUpdateOnly: true },
  columns: [
    nameColumn,
    {
      name: "LeaseName",
      type: "string",
      description:
        "LeaseName is the name of the lease for which this candidate is contending. This field is immutable.",
      cell: ({ spec }) => spec.leaseName,
    },
    { name: "BinaryVersion", type: "string", cell: ({ spec }) => spec.binaryVersion },
    { name: "EmulationVersion", type: "string", cell: ({ spec }) => spec.emulationVersion ?? "" },
    ageColumn,
  ],
  selectableFields: { "spec.leaseName": ({ spec }) => spec.leaseName },
});

export const LeaseCandidate = kind({
  ...leaseCandidateIn("v1beta1"),
  stability: "beta",
  deprecated:
    "coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+",
});
export interface LeaseCandidate extends ObjectOf<typeof LeaseCandidate> {}

interface Candidate {
  readonly leaseName: string;
  readonly binaryVersion: string;
  readonly emulationVersion?: string | undefined;
  readonly strategy?: string | undefined;
}

function validateSpec(spec: Candidate, at: At): void {
  const { leaseName, binaryVersion, emulationVersion = "", strategy = "" } = spec;
  if (leaseName === "") at.required("leaseName");
  const emulated = versionAt("emulationVersion", emulationVersion, at);
  if (binaryVersion === "") at.required("binaryVersion");
  const binary = versionAt("binaryVersion", binaryVersion, at);
  const isOlder = compareSemanticVersions(binary, emulated) < 0;
  if (binaryVersion !== "" && emulationVersion !== "" && isOlder)
    at.invalid(
      "binaryVersion",
      binaryVersion,
      "must be greater than or equal to `emulationVersion`",
    );
  if (strategy === "") {
    at.required("strategy");
    return;
  }
  const isNone = compareSemanticVersions(emulated, zeroVersion) === 0;
  if (strategy === "OldestEmulationVersion" && isNone)
    at.required(
      "emulationVersion",
      "must be specified when `strategy` is 'OldestEmulationVersion'",
    );
  validateStrategy(strategy, at.child("strategy"));
}

/** The version in a field; zero where there is none, or none that can be read. */
function versionAt(field: string, text: string, at: At): typeof zeroVersion {
  if (text === "") return zeroVersion;
  const version = parseSemanticVersion(text);
  if (!version) at.invalid(field, text, "must be a valid semantic version");
  return version ?? zeroVersion;
}
