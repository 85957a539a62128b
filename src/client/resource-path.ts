import type { ResourceKind } from "./resource-kind.ts";

/** What a path names beside the kind. */
export interface PathParts {
  /** None: all of them, or a kind that is in none. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The path of a kind's objects, of one of them, or of its subresource. */
export function resourcePath(
  { group, version, plural, scope }: Pick<ResourceKind, "group" | "version" | "plural" | "scope">,
  { namespace, name, subresource }: PathParts = {},
): string {
  const parts = group === "" ? ["", "api", version] : ["", "apis", group, version];
  if (scope === "Namespaced" && namespace) parts.push("namespaces", encode(namespace));
  parts.push(plural);
  if (name !== undefined) parts.push(encode(name));
  // A subresource may go on: `proxy/healthz`.
  if (subresource) parts.push(...subresource.split("/").map(encode));
  return parts.join("/");
}

/** A query from what is defined of its parameters. */
export function queryText(
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) pairs.push(`${name}=${encode(String(value))}`);
  return pairs.join("&");
}

const encode = encodeURIComponent;
