import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ResourceKind } from "../resource-kind.ts";

/** A resource name whose group and version may be empty: any. */
export interface PartialResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** No resource of the server matches. */
export class NoMatchError extends Error {
  override readonly name = "NoMatchError";
}

/** Several resources of the server match, and none has priority. */
export class AmbiguousError extends Error {
  override readonly name = "AmbiguousError";
}

/** None of the versions has the kind; without versions, none of its group has. */
export function noKindMatch(
  { group, kind }: Pick<ResourceKind, "group" | "kind">,
  searched: readonly string[],
  cause?: unknown,
): NoMatchError {
  const versions = [...new Set(searched.map((version) => apiVersionOf({ group, version })))].sort();
  const [first] = versions;
  let where = `versions [${versions.map(quote).join(" ")}]`;
  if (first === undefined) where = `group ${quote(group)}`;
  else if (versions.length === 1) where = `version ${quote(first)}`;
  return new NoMatchError(`no matches for kind ${quote(kind)} in ${where}`, { cause });
}

export const noResourceMatch = (resource: PartialResource): NoMatchError =>
  new NoMatchError(`no matches for ${shown(resource)}`);

/** The error about a resource name on a command line. */
export const noSuchType = (resource: string, cause?: unknown): NoMatchError =>
  new NoMatchError(`the server doesn't have a resource type ${quote(resource)}`, { cause });

export const ambiguousResource = (
  resource: PartialResource,
  matching: readonly PartialResource[],
): AmbiguousError =>
  new AmbiguousError(
    `${shown(resource)} matches multiple resources [${matching.map(shown).join(" ")}]`,
  );

const shown = ({ group, version, resource }: PartialResource): string =>
  `${group}/${version}, Resource=${resource}`;
