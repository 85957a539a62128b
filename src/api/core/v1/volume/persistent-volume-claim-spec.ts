import { listOf, message, named, string, value } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import {
  isDns1123Subdomain,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";
import { parseQuantity, quantitySign } from "../../../../schema/values/quantity.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { LabelSelector, validateLabelSelector } from "../../../meta/v1/label-selector.ts";
import { TypedLocalObjectReference, TypedObjectReference } from "../object-reference.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { validateAccessModes } from "./access-modes.ts";

export const VolumeResourceRequirements = struct("io.k8s.api.core.v1.VolumeResourceRequirements", {
  limits: resourceList(1).doc("The most that the volume may offer."),
  requests: resourceList(2).doc("The least that the volume must offer."),
})
  .defaults(({ limits, requests }) => {
    roundUpResources(limits);
    roundUpResources(requests);
  })
  .doc("The storage that a claim asks for.");
export interface VolumeResourceRequirements extends Infer<typeof VolumeResourceRequirements> {}

const volumeModes = ["Block", "Filesystem"];

export const PersistentVolumeClaimSpec = struct("io.k8s.api.core.v1.PersistentVolumeClaimSpec", {
  accessModes: listOf(1, namedString("v1.PersistentVolumeAccessMode"))
    .known("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
    .atomic()
    .doc("How nodes or pods share the volume."),
  selector: message(4, LabelSelector).doc("Labels of the volumes that may be bound."),
  resources: value(2, VolumeResourceRequirements).doc("How large the volume must be."),
  volumeName: string(3).doc("The volume that the claim is bound to."),
  storageClassName: string(5)
    .pointer()
    .doc("Class of the volume; empty for none, absent for the cluster's default."),
  volumeMode: named(6, "v1.PersistentVolumeMode")
    .pointer()
    .known(...volumeModes)
    .default("Filesystem")
    .doc("Whether pods see a file system or a block device."),
  dataSource: message(7, TypedLocalObjectReference).doc(
    "The snapshot or claim whose data the volume begins with.",
  ),
  dataSourceRef: message(8, TypedObjectReference).doc(
    "The object whose data the volume begins with; equal to dataSource where both can say it.",
  ),
  volumeAttributesClassName: string(9)
    .pointer()
    .doc("The class of attributes that is applied to the volume."),
}).doc("What a claim asks of a volume.");
export interface PersistentVolumeClaimSpec extends Infer<typeof PersistentVolumeClaimSpec> {}

/** What the stored claim had already, and an update may keep. */
export interface ClaimSpecOptions {
  readonly allowInvalidLabelValueInSelector?: boolean | undefined;
  readonly allowInvalidApiGroupInDataSource?: boolean | undefined;
}

/** The rules of a claim, and of the template of one. */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  at: At,
  options: ClaimSpecOptions = {},
): void {
  const { storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (!spec.accessModes?.length) at.required("accessModes", "at least 1 access mode is required");
  validateLabelSelector(spec.selector, at.child("selector"), {
    allowInvalidValues: options.allowInvalidLabelValueInSelector,
  });
  validateAccessModes(spec.accessModes ?? [], at);
  validateStorageRequest(spec.resources.requests?.storage, at);
  if (storageClassName)
    at.invalidEach("storageClassName", storageClassName, nameIsDnsSubdomain(storageClassName));
  if (!volumeModes.includes(volumeMode)) at.notSupported("volumeMode", volumeMode, volumeModes);
  validateDataSources(spec, at, options);
  if (volumeAttributesClassName)
    at.invalidEach(
      "volumeAttributesClassName",
      volumeAttributesClassName,
      nameIsDnsSubdomain(volumeAttributesClassName),
    );
}

function validateStorageRequest(storage: string | undefined, at: At): void {
  const here = at.child("resources").key("storage");
  if (storage === undefined) here.required();
  else if (quantitySign(parseQuantity(storage)) <= 0)
    here.invalid("", storage, "must be greater than zero");
}

function validateDataSources(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  at: At,
  options: ClaimSpecOptions,
): void {
  if (dataSource) validateDataSource(dataSource, at.child("dataSource"), options);
  if (dataSourceRef) validateDataSource(dataSourceRef, at.child("dataSourceRef"), options);
  if (!dataSource || !dataSourceRef) return;
  // Upstream shows a path here, which has nothing to show.
  if (dataSourceRef.namespace)
    at.invalid("", {}, "may not be specified when dataSourceRef.namespace is specified");
  else if (
    (dataSource.apiGroup ?? undefined) !== (dataSourceRef.apiGroup ?? undefined) ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  )
    at.invalid("", {}, "must match dataSourceRef");
}

function validateDataSource(
  source: TypedObjectReference,
  at: At,
  { allowInvalidApiGroupInDataSource }: ClaimSpecOptions,
): void {
  const { apiGroup, kind, name, namespace } = source;
  if (!name) at.required("name");
  if (!kind) at.required("kind");
  if (!apiGroup && kind !== "PersistentVolumeClaim")
    at.invalid("", kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (apiGroup && !allowInvalidApiGroupInDataSource)
    at.invalidEach("apiGroup", apiGroup, isDns1123Subdomain(apiGroup));
  if (namespace) at.invalidEach("namespace", namespace, nameIsDnsLabel(namespace));
}

/** What to tell the client of a claim: storage comes in whole bytes. */
export function claimSpecWarnings(
  { resources }: PersistentVolumeClaimSpec,
  path: string,
): readonly string[] {
  return (["requests", "limits"] as const).flatMap((side) => {
    const storage = resources[side]?.storage;
    if (storage === undefined || !fractional.test(storage)) return [];
    return `${path}.resources.${side}[storage]: fractional byte value ${quote(storage)} is invalid, must be an integer`;
  });
}

/** Canonical quantities that are not whole. */
const fractional = /[num]$|e-/;
