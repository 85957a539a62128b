import { pathSegmentFault, resourceNameFault } from "../schema/values/names.ts";
import type { ResourceKind } from "./resource-kind.ts";

/** What a path names beside the kind. */
export interface PathParts {
  /** None: all of them, or a kind that is in none. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/**
 * The path of a kind's objects, of one of them, or of its subresource. Throws where a name would lead
 * elsewhere: no object has such a name.
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
  // A subresource may go on: `proxy/healthz`.
  if (subresource)
    parts.push(...subresource.split("/").map((part) => segment("subresource", part)));
  return parts.join("/");
}

function segment(what: string, text: string): string {
  const fault = pathSegmentFault(what, text);
  if (fault !== undefined) throw new TypeError(fault);
  return encode(text);
}

/** Parameters of a query by name; several values are given one after the other. */
export type QueryParameters = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** A query from what is defined of its parameters. */
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
