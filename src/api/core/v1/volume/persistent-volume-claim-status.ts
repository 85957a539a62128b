import {
  list,
  listOf,
  mapOf,
  message,
  named,
  string,
  time,
} from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { namedString } from "../../../../schema/language/type.ts";
import { isQualifiedName } from "../../../../schema/values/names.ts";
import { parseQuantity, quantitySign } from "../../../../schema/values/quantity.ts";
import { conditionStatus } from "../../../meta/v1/condition.ts";
import { resourceList, roundUpResources } from "../resource-list.ts";
import { isNativeResource } from "../resource-name.ts";
import { validateBasicResource } from "./persistent-volume-validation.ts";

export const PersistentVolumeClaimCondition = struct(
  "io.k8s.api.core.v1.PersistentVolumeClaimCondition",
  {
    type: named(1, "v1.PersistentVolumeClaimConditionType")
      .always()
      .expected()
      .known(
        "Resizing",
        "FileSystemResizePending",
        "ControllerResizeError",
        "NodeResizeError",
        "ModifyVolumeError",
        "ModifyingVolume",
        "Unused",
      )
      .doc("What the condition is about."),
    status: conditionStatus(2),
    lastProbeTime: time(3).always().doc("When it was last looked at."),
    lastTransitionTime: time(4).always().doc("When the status last changed."),
    reason: string(5).doc("Why it changed, in one word."),
    message: string(6).doc("Why it changed, for people."),
  },
).doc("One aspect of a claim's state.");
export interface PersistentVolumeClaimCondition
  extends Infer<typeof PersistentVolumeClaimCondition> {}

export const ModifyVolumeStatus = struct("io.k8s.api.core.v1.ModifyVolumeStatus", {
  targetVolumeAttributesClassName: string(1).doc("The class that is being applied."),
  status: named(2, "v1.PersistentVolumeClaimModifyVolumeStatus")
    .always()
    .expected()
    .known("Pending", "InProgress", "Infeasible")
    .doc("How far that is."),
}).doc("How the application of a class of attributes is going.");
export interface ModifyVolumeStatus extends Infer<typeof ModifyVolumeStatus> {}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

export const PersistentVolumeClaimStatus = struct(
  "io.k8s.api.core.v1.PersistentVolumeClaimStatus",
  {
    phase: named(1, "v1.PersistentVolumeClaimPhase")
      .known("Pending", "Bound", "Lost")
      .doc("Whether the claim has its volume."),
    accessModes: listOf(2, namedString("v1.PersistentVolumeAccessMode"))
      .known("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
      .atomic()
      .doc("How nodes or pods can share the volume."),
    capacity: resourceList(3).doc("How large the volume is."),
    conditions: list(4, PersistentVolumeClaimCondition)
      .keyedBy("type")
      .doc("How a change of the volume is going."),
    allocatedResources: resourceList(5).doc("What the volume will have once it has grown."),
    allocatedResourceStatuses: mapOf(7, namedString("v1.ClaimResourceStatus"), "v1.ResourceName")
      .granular()
      .doc("How far the growth of each resource is."),
    currentVolumeAttributesClassName: string(8)
      .pointer()
      .doc("The class of attributes that has been applied."),
    modifyVolumeStatus: message(9, ModifyVolumeStatus).doc(
      "How the application of another class of attributes is going.",
    ),
  },
)
  .defaults(({ capacity, allocatedResources }) => {
    roundUpResources(capacity);
    roundUpResources(allocatedResources);
  })
  .doc("What is known of a claim.");
export interface PersistentVolumeClaimStatus extends Infer<typeof PersistentVolumeClaimStatus> {}

/** The rules of a claim's status. */
export function validateClaimStatus(status: PersistentVolumeClaimStatus, at: At): void {
  for (const [name, amount] of Object.entries(status.capacity ?? {}))
    validateBasicResource(amount, at.child("capacity").key(name));
  const statuses = at.child("allocatedResourceStatuses");
  for (const [name, resize] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    validateResourceKey(name, statuses);
    if (!resizeStatuses.includes(resize)) statuses.notSupported("", name, resizeStatuses);
  }
  const allocated = at.child("allocatedResources");
  for (const [name, amount] of Object.entries(status.allocatedResources ?? {})) {
    if (!validateResourceKey(name, allocated)) continue;
    const here = allocated.key(name);
    if (validateBasicResource(amount, here) && quantitySign(parseQuantity(amount)) < 0)
      here.invalid("", amount, "must be greater than or equal to 0");
  }
}

/** Of the resources without a domain, only storage is one of a claim. */
function validateResourceKey(name: string, at: At): boolean {
  const faults = isQualifiedName(name);
  at.invalidEach("", name, faults);
  if (faults.length > 0) return false;
  if (!isNativeResource(name) || name === "storage") return true;
  at.notSupported("", name, ["storage"]);
  return false;
}
