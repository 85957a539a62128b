import { familiarName, familiarRepository, parseReference } from "../../images/reference.ts";
import type { StoredImage } from "../../images/stored-image.ts";

/** The tags of an image as people write them. */
export const familiarTags = ({ tags }: StoredImage): string[] => tags.map(familiar);

/** The digests of an image as people write them. */
export const familiarDigests = ({ digests }: StoredImage): string[] => digests.map(familiar);

export const familiar = (name: string): string => familiarName(parseReference(name));

/** Whether a name matches a pattern such as `busy*`, with or without its tag. */
export function matchesReference(name: string, pattern: string): boolean {
  const matches = globPattern(pattern);
  const reference = parseReference(name);
  return matches.test(familiarName(reference)) || matches.test(familiarRepository(reference));
}

/** A star and a question mark do not match slashes. */
function globPattern(pattern: string): RegExp {
  const source = pattern.replaceAll(/[.+^${}()|\\]|\*|\?/g, (special) =>
    special === "*" ? "[^/]*" : special === "?" ? "[^/]" : `\\${special}`,
  );
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return /^$a/;
  }
}
