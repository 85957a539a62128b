import { named, string } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";

export const ObjectReference = struct("io.k8s.api.core.v1.ObjectReference", {
  kind: string(1).doc("Kind of the object."),
  namespace: string(2).doc("Namespace of the object."),
  name: string(3).doc("Name of the object."),
  uid: named(4, "types.UID").doc("UID of the object."),
  apiVersion: string(5).doc("API version of the object."),
  resourceVersion: string(6).doc("The version of the object that is meant, if one is."),
  fieldPath: string(7).doc("The part of the object that is meant, such as spec.containers{web}."),
})
  .atomic()
  .doc("Names an object, or a part of it.");
export interface ObjectReference extends Infer<typeof ObjectReference> {}

export const LocalObjectReference = struct("io.k8s.api.core.v1.LocalObjectReference", {
  name: string(1).doc("Name of the object."),
})
  .atomic()
  .doc("Names an object of a known kind in the same namespace.");
export interface LocalObjectReference extends Infer<typeof LocalObjectReference> {}

export const TypedLocalObjectReference = struct("io.k8s.api.core.v1.TypedLocalObjectReference", {
  apiGroup: string(1).nullable().doc("API group of the object; without it, the core group."),
  kind: string(2).always().expected().doc("Kind of the object."),
  name: string(3).always().expected().doc("Name of the object."),
})
  .atomic()
  .doc("Names an object of any kind in the same namespace.");
export interface TypedLocalObjectReference extends Infer<typeof TypedLocalObjectReference> {}

export const TypedObjectReference = struct("io.k8s.api.core.v1.TypedObjectReference", {
  apiGroup: string(1).nullable().doc("API group of the object; without it, the core group."),
  kind: string(2).always().expected().doc("Kind of the object."),
  name: string(3).always().expected().doc("Name of the object."),
  namespace: string(4).pointer().doc("Namespace of the object; without it, the same one."),
}).doc("Names an object of any kind, maybe in another namespace.");
export interface TypedObjectReference extends Infer<typeof TypedObjectReference> {}

export const SecretReference = struct("io.k8s.api.core.v1.SecretReference", {
  name: string(1).doc("Name of the secret."),
  namespace: string(2).doc("Namespace of the secret."),
})
  .atomic()
  .doc("Names a secret in any namespace.");
export interface SecretReference extends Infer<typeof SecretReference> {}
