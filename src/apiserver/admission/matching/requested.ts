import type { AnyKind } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";

/** The names of a kind in one version. */
export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * The kind of a request's object where the resource is seen in another version: that of the object itself, of a
 * subresource with a kind of its own, or of the options of a connection.
 */
export function objectKindIn(kind: AnyKind, attributes: Attributes): KindName {
  const { operation, objectKind, object } = attributes;
  if (operation === "CONNECT") return kindNamed(object.apiVersion, object.kind);
  const { group, version, kind: name } = objectKind ?? kind;
  return { group, version, kind: name };
}

/** The namespace of a request; of one for a namespace, its own name. */
export function requestedNamespace({ address: { kind, namespace, name } }: Attributes): string {
  return kind.group === "" && kind.plural === "namespaces" ? name : namespace;
}

/** The objects of a request before and after it: a deletion leaves none, and options are none. */
export function requestedObjects({ operation, object, old }: Attributes): RequestedObjects {
  return { object: operation === "DELETE" ? undefined : object, old };
}

export interface RequestedObjects {
  readonly object: Attributes["object"] | undefined;
  readonly old: Attributes["old"];
}

function kindNamed(apiVersion: string, kind: string): KindName {
  const slash = apiVersion.indexOf("/");
  const group = apiVersion.slice(0, Math.max(slash, 0));
  return { group, version: apiVersion.slice(slash + 1), kind };
}
