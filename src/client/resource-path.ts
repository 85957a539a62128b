import { pathSegmentFault, resourceNameFault } from "../schema/values/names.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** The variable parts of a path. */
export interface PathParts {
  /** Without it, the path is that of all namespaces or of a cluster-scoped kind. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * Returns the path of a collection, an object or a subresource. Throws if a name would change the path's
 * structure: no object can have such a name.
 */
export function resourcePath(
  { group, version, plural, scope }: Pick<ResourceKind, "group" | "version" | "plural" | "scope">,
  { namespace, name, subresource }: PathParts = {},
): string {
  const parts = group === "" ? ["", "api", version] : ["", "apis", group, version];
  if (scope === "Namespaced" && namespace)
    parts.push("namespaces", segment("namespace", namespace));
  parts.push(plural);
  const fault = name === undefined ? undefined : resourceNameFault(name);
  if (fault !== undefined) throw new TypeError(fault);
  if (name !== undefined) parts.push(encode(name));
  // A subresource may have a path of its own: `proxy/healthz`.
  if (subresource)
    parts.push(...subresource.split("/").map((part) => segment("subresource", part)));
  return parts.join("/");
}

function segment(what: string, text: string): string {
  const fault = pathSegmentFault(what, text);
  if (fault !== undefined) throw new TypeError(fault);
  return encode(text);
}

/** Query parameters by name; a list of values repeats the parameter. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** Formats a query; undefined parameters are left out. */
export function queryText(parameters: QueryParameters): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of typeof value === "object" ? value : [value])
      pairs.push(`${encode(name)}=${encode(String(one))}`);
  }
  return pairs.join("&");
}

const encode = encodeURIComponent;
