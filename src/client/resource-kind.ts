import type { ObjectMeta } from "../api/meta/v1/object-meta.ts";
import type { Struct } from "../schema/language/struct.ts";

/**
 * What a client needs to know about a kind. All kinds of `wherry/api` are such values, and so are those
 * that discovery finds.
 */
export interface ResourceKind<O = unknown, I = unknown> {
  /** Exists only in the type: objects in responses. */
  readonly $value?: O;
  /** Exists only in the type: objects in create, update and apply requests. */
  readonly $input?: I;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
  /** The schema of the kind's objects; undefined for kinds that are found at run time. */
  readonly struct?: Struct | undefined;
  /** Whether requests ask for the metadata of objects only. */
  readonly isMetadataOnly?: boolean;
}

/** The fields that all objects have. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object of a kind without a TypeScript type. */
export interface DynamicObject extends KubernetesObject {
  readonly [member: string]: unknown;
}

/** An object of which only the metadata was requested (PartialObjectMetadata). */
export interface MetadataObject extends KubernetesObject {}

/** The type of such objects in requests: metadata can be patched, but no whole object can be written. */
export interface MetadataInput {
  readonly metadata?: ObjectMeta | undefined;
  readonly "only its metadata is known": never;
}

/** Name and namespace of an object; cluster-scoped objects have no namespace. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/**
 * Creates a kind from its names, for resources without a declared kind; `O` is the type of its objects.
 */
export function dynamicKind<O extends KubernetesObject = DynamicObject, I = object>(
  names: Pick<ResourceKind, "group" | "version" | "kind" | "plural" | "scope">,
): ResourceKind<O, I> {
  const { group, version, kind, plural, scope } = names;
  return { group, version, kind, plural, scope };
}

/** Returns the same kind, with requests that ask for the metadata of objects only. */
export function metadataOnly(
  kind: ResourceKind<KubernetesObject>,
): ResourceKind<MetadataObject, MetadataInput> {
  const { group, version, kind: name, plural, scope } = kind;
  return { group, version, kind: name, plural, scope, isMetadataOnly: true };
}

/** Returns the key of an object. */
export function keyOf({ metadata }: Pick<KubernetesObject, "metadata">): ObjectKey {
  const { name = "", namespace } = metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** Formats a key: `NAMESPACE/NAME`, or the name alone. */
export const formatKey = ({ namespace, name }: ObjectKey): string =>
  namespace ? `${namespace}/${name}` : name;

/** Formats the key of an object. */
export const formatKeyOf = (object: unknown): string => {
  const { name = "", namespace } = (object as KubernetesObject).metadata;
  return namespace ? `${namespace}/${name}` : name;
};

/** Parses a key that `formatKey` has formatted. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0
    ? { name: text }
    : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
