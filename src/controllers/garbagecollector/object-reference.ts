import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";

/** A reference to an object, with its namespace. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The members of a reference that identify an object. */
type Coordinates = Pick<OwnerReference, "apiVersion" | "kind" | "name" | "uid">;

/** The owner of a reference, in a namespace. */
export const ownerIn = (
  { apiVersion, kind, name, uid }: Coordinates,
  namespace: string,
): ObjectReference => ({ apiVersion, kind, namespace, name, uid });

/** Whether two references are equal apart from the namespace. */
export const sameCoordinates = (a: Coordinates, b: Coordinates): boolean =>
  a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;

export const sameReference = (a: ObjectReference, b: ObjectReference): boolean =>
  sameCoordinates(a, b) && a.namespace === b.namespace;

/** A reference for people: `[apps/v1/ReplicaSet, namespace: default, name: web, uid: 1234]`. */
export const referenceText = (reference: ObjectReference): string => {
  const { apiVersion, kind, namespace, name, uid } = reference;
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
};

/** A reference as the key of a map. */
export const referenceKey = ({ apiVersion, kind, namespace, name, uid }: ObjectReference): string =>
  [uid, apiVersion, kind, namespace, name].join("\0");

/** Orders references by kind first, not by namespace. */
export const comesBefore = (a: ObjectReference, b: ObjectReference): boolean => {
  const field = order.find((name) => a[name] !== b[name]);
  return field !== undefined && a[field] < b[field];
};

const order = ["kind", "apiVersion", "namespace", "name", "uid"] as const;
