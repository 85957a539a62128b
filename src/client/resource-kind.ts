import type { ObjectMeta } from "../api/meta/v1/object-meta.ts";
import type { Struct } from "../schema/language/struct.ts";

/** What a client has to know of a kind: every kind of `wherry/api` is one, and so is what discovery finds. */
export interface ResourceKind<O = unknown, I = unknown> {
  /** Never there: the type of an object as the server answers with it. */
  readonly $value?: O;
  /** Never there: the type of an object as it may be written. */
  readonly $input?: I;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** The declaration of its objects, where there is one. */
  readonly struct?: Struct | undefined;
  /** Whether only the metadata of objects is asked for. */
  readonly isMetadataOnly?: boolean;
}

/** What all objects have. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind that is known at run time only. */
export interface DynamicObject extends KubernetesObject {
  readonly [member: string]: unknown;
}

/** An object of which only the metadata was asked for. */
export interface MetadataObject extends KubernetesObject {}

/** What of such an object can be written: patches of its metadata, and never the whole. */
export interface MetadataInput {
  readonly metadata?: ObjectMeta | undefined;
  readonly "only its metadata is known": never;
}

/** Where an object is found: in its namespace, unless it has none. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** A kind known at run time only, from its names. */
export function dynamicKind(
  names: Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope">,
): ResourceKind<DynamicObject, object> {
  const { group, version, kind, plural, scope } = names;
  return { group, version, kind, plural, scope };
}

/** The same kind, of whose objects only the metadata is asked for. */
export function metadataOnly(
  kind: ResourceKind<KubernetesObject>,
): ResourceKind<MetadataObject, MetadataInput> {
  const { group, version, kind: name, plural, scope } = kind;
  return { group, version, kind: name, plural, scope, isMetadataOnly: true };
}

/** The key of an object. */
export function keyOf({ metadata }: Pick<KubernetesObject, "metadata">): ObjectKey {
  const { name = "", namespace } = metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** A key as a string: `NAMESPACE/NAME`, or the name alone. */
export const formatKey = ({ namespace, name }: ObjectKey): string =>
  namespace ? `${namespace}/${name}` : name;

/** The key of an object as a string. */
export const formatKeyOf = (object: unknown): string => {
  const { name = "", namespace } = (object as KubernetesObject).metadata;
  return namespace ? `${namespace}/${name}` : name;
};

/** The key in a string that `formatKey` returned. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0
    ? { name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
