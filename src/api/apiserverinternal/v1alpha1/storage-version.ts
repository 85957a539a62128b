import {
  int64,
  list,
  named,
  string,
  strings,
  time,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isDns1035Label, isDns1123Subdomain, type Messages } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { validateStorageVersionStatus } from "./storage-version-validation.ts";

const pkg = "io.k8s.api.apiserverinternal.v1alpha1";

export const ServerStorageVersion = struct(`${pkg}.ServerStorageVersion`, {
  apiServerID: string(1).expected().doc("The server that tells of it."),
  encodingVersion: string(2).expected().doc("The version in which it stores objects."),
  decodableVersions: strings(3)
    .expected()
    .set()
    .doc("The versions that it can read; the one it stores in is among them."),
  servedVersions: strings(4).set().doc("The versions that it serves, all of which it can read."),
}).doc("The versions of a resource that one API server knows.");
export interface ServerStorageVersion extends Infer<typeof ServerStorageVersion> {}

export const StorageVersionCondition = struct(`${pkg}.StorageVersionCondition`, {
  type: named(1, "v1alpha1.StorageVersionConditionType")
    .always()
    .expected()
    .known("AllEncodingVersionsEqual")
    .doc("What the condition is about."),
  status: named(2, "v1alpha1.ConditionStatus")
    .always()
    .expected()
    .known("True", "False", "Unknown")
    .doc("Whether it holds."),
  observedGeneration: int64(3).doc("The generation of the object that was looked at."),
  lastTransitionTime: time(4).always().doc("When the status last changed."),
  reason: string(5).always().expected().doc("Why it last changed, for machines."),
  message: string(6).expected().doc("Why it last changed, for people."),
}).doc("One aspect of the versions of a resource.");
export interface StorageVersionCondition extends Infer<typeof StorageVersionCondition> {}

export const StorageVersionSpec = struct(`${pkg}.StorageVersionSpec`, {}).doc("Nothing.");
export interface StorageVersionSpec extends Infer<typeof StorageVersionSpec> {}

export const StorageVersionStatus = struct(`${pkg}.StorageVersionStatus`, {
  storageVersions: list(1, ServerStorageVersion)
    .mapKeys("apiServerID")
    .doc("What each API server tells."),
  commonEncodingVersion: string(2)
    .pointer()
    .doc("The version in which all of them store objects, if they agree."),
  conditions: list(3, StorageVersionCondition).mapKeys("type").doc("Whether they agree."),
}).doc("The versions of a resource that the API servers know.");
export interface StorageVersionStatus extends Infer<typeof StorageVersionStatus> {}

export const StorageVersion = kind({
  group: "internal.apiserver.k8s.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  package: pkg,
  plural: "storageversions",
  scope: "Cluster",
  stability: "alpha",
  doc: "In which version the API servers store the objects of a resource.",
  name: validateName,
  metadataExpected: true,
  fields: {
    spec: value(2, StorageVersionSpec).doc("Nothing."),
    status: value(3, StorageVersionStatus).doc("What the API servers tell."),
  },
  subresources: ["status"],
  rules: [({ status }, at) => validateStorageVersionStatus(status, at.child("status"))],
  metadataUpdateRules: false,
  updateRules() {},
  statusRules: ({ status }, _old, { at }) =>
    validateStorageVersionStatus(status, at.child("status")),
  strategy: {
    initialStatus: {},
    statusKeeps: ["metadata"],
    conditionalUpdateOnly: true,
  },
  columns: [
    nameColumn,
    {
      name: "CommonEncodingVersion",
      type: "string",
      description:
        "commonEncodingVersion is set to an encoding storage version if all API server instances share that same version. If they don't share one storage version, this field is left empty. API servers should finish updating its storageVersionStatus entry before serving write operations, so that this field will be in sync with the reality.",
      cell: ({ status }) => status.commonEncodingVersion ?? "<unset>",
    },
    {
      name: "StorageVersions",
      type: "string",
      description: "storageVersions lists the reported versions per API server instance.",
      cell: ({ status }) => versionsCell(status.storageVersions ?? []),
    },
    ageColumn,
  ],
});
export interface StorageVersion extends ObjectOf<typeof StorageVersion> {}

/** `group.resource`. */
function validateName(name: string): Messages {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((message) => `the group segment ${message}`),
    ...isDns1035Label(name.slice(dot + 1)).map((message) => `the resource segment ${message}`),
  ];
}

const shown = 3;

function versionsCell(versions: readonly ServerStorageVersion[]): string {
  const texts = versions.map(
    ({ apiServerID, encodingVersion }) => `${apiServerID ?? ""}=${encodingVersion ?? ""}`,
  );
  const text = texts.slice(0, shown).join(",");
  if (texts.length === 0) return "<unset>";
  return texts.length > shown ? `${text} + ${texts.length - shown} more...` : text;
}
