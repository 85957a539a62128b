import {
  bool,
  fieldsV1,
  int64,
  list,
  named,
  string,
  stringMap,
  strings,
  time,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const OwnerReference = struct("io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", {
  apiVersion: string(5).always().expected().doc("API version of the owner."),
  kind: string(1).always().expected().doc("Kind of the owner."),
  name: string(3).always().expected().doc("Name of the owner."),
  uid: named(4, "types.UID").always().expected().doc("UID of the owner."),
  controller: bool(6).pointer().doc("Whether the owner is the controller that manages the object."),
  blockOwnerDeletion: bool(7)
    .pointer()
    .doc("Whether a foreground deletion of the owner waits until this object is gone."),
})
  .atomic()
  .doc("Names an object that this one belongs to; when all its owners are gone, it goes too.");
export interface OwnerReference extends Infer<typeof OwnerReference> {}

export const ManagedFieldsEntry = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry",
  {
    manager: string(1).doc("Who manages these fields."),
    operation: named(2, "v1.ManagedFieldsOperationType")
      .known("Apply", "Update")
      .doc("How they came to be managed."),
    apiVersion: string(3).doc("The version of the object in which the fields are named."),
    time: time(4).doc("When the entry was added, or last changed."),
    fieldsType: string(6).doc("The format of the fields; FieldsV1."),
    fieldsV1: fieldsV1(7).doc("The set of fields, as a tree."),
    subresource: string(8).doc("The subresource through which the object was changed, if any."),
  },
).doc("Which fields of the object are managed by one manager, and since when.");
export interface ManagedFieldsEntry extends Infer<typeof ManagedFieldsEntry> {}

export const ObjectMeta = struct("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", {
  name: string(1).doc("Name, unique among objects of this kind in the namespace. Never changes."),
  generateName: string(2).doc("Prefix of a name that the server completes when no name is given."),
  namespace: string(3).doc("Namespace the object lives in; empty for cluster-wide kinds."),
  selfLink: string(4).doc("Unused; kept for old clients."),
  uid: named(5, "types.UID").doc("Identity of this very object, never given again."),
  resourceVersion: string(6).doc(
    "Version of the stored object; opaque, for watches and for conflicts.",
  ),
  generation: int64(7).doc("Counts the changes of what is desired."),
  creationTimestamp: time(8)
    .omitZero()
    .doc("CreationTimestamp is a timestamp of when the object was created."),
  deletionTimestamp: time(9).doc("When the object will be, or was to be, deleted."),
  deletionGracePeriodSeconds: int64(10).pointer().doc("Seconds of grace before it is removed."),
  labels: stringMap(11).doc("Keys and values to organise and select objects by."),
  annotations: stringMap(12).doc("Keys and values for tools; not to select by."),
  ownerReferences: list(13, OwnerReference)
    .keyedBy("uid")
    .doc("Objects this one belongs to; when all are gone, it is collected."),
  finalizers: strings(14)
    .set()
    .merge()
    .doc("Who must have done something before the object is removed."),
  managedFields: list(17, ManagedFieldsEntry)
    .atomic()
    .doc("Which manager owns which fields; kept by the server."),
}).doc("What every object carries: its name, labels, owners and versions.");
export interface ObjectMeta extends Infer<typeof ObjectMeta> {}
