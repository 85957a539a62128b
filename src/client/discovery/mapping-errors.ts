import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ResourceKind } from "../resource-kind.ts";

/** A resource of which group and version may be left open: empty. */
export interface PartialResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Nothing that is served has such a name. */
export class NoMatchError extends Error {
  override readonly name = "NoMatchError";
}

/** Several things that are served have such a name, and none comes first. */
export class AmbiguousError extends Error {
  override readonly name = "AmbiguousError";
}

/** No version that was looked at has the kind; without versions, its group has not. */
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

/** What is said of a name that a person has typed. */
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
