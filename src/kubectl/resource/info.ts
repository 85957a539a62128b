import type { DiscoveredKind } from "../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../client/resource-kind.ts";
import type { ManifestPlace } from "./manifest-place.ts";

/** One object that a command works on, as far as it is known: by its name, from a file, or from the server. */
export interface Info {
  /** The kind of the object; undefined with `--local`, where no server is asked. */
  readonly kind: DiscoveredKind | undefined;
  /** Empty for objects without a namespace. */
  namespace: string;
  name: string;
  /** The file, URL or `STDIN` with the object; empty for objects of the server. */
  readonly source: string;
  /** Where the object stands in its source; absent for objects of the server. */
  readonly place?: ManifestPlace | undefined;
  /** The object, which may also be a list or a table; undefined before it was requested. */
  object: DynamicObject | undefined;
  resourceVersion: string;
  readonly subresource: string;
}

/** Whether the object of an info has a namespace. */
export function isNamespaced({ kind, namespace }: Pick<Info, "kind" | "namespace">): boolean {
  return kind ? kind.scope === "Namespaced" : namespace !== "";
}

/** The kind of an info; throws with `--local`, where commands that call the server are refused before. */
export function kindOf({ kind, name }: Info): DiscoveredKind {
  if (!kind) throw new Error(`no kind is known for ${name}`);
  return kind;
}

/** Takes over an object, and what it says of itself. */
export function setObject(info: Info, object: DynamicObject): void {
  const { name, namespace, resourceVersion } = object.metadata ?? {};
  info.object = object;
  info.name = name ?? "";
  info.namespace = namespace ?? "";
  info.resourceVersion = resourceVersion ?? "";
}

/** Takes over an object that was requested by the name of an info, which keeps its name: tables have none. */
export function setRequested(info: Info, object: DynamicObject): void {
  info.object = object;
  info.resourceVersion = object.metadata?.resourceVersion ?? "";
}

/** The name of a resource with its group, as messages have it: `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: Pick<DiscoveredKind, "group" | "plural">): string {
  return group === "" ? plural : `${plural}.${group}`;
}

/** Whether an object is a list: it has items, whatever its kind. */
export function isList(object: unknown): object is { readonly items: readonly DynamicObject[] } {
  return Array.isArray((object as { readonly items?: unknown } | undefined)?.items);
}
