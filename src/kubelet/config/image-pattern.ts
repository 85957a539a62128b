import { parseImageReference } from "../images/image-reference.ts";

/**
 * What is wrong with an item of preloadedImagesVerificationAllowlist, in upstream's words: an image without
 * tag and digest, or a prefix that ends in `/*`.
 */
export function imagePatternProblem(pattern: string): string | undefined {
  if (pattern !== pattern.trim()) return `leading/trailing spaces are not allowed: ${pattern}`;
  const isPrefix = pattern.endsWith("/*");
  const name = isPrefix ? pattern.slice(0, -1) : pattern;
  if (name === "") return `the supplied pattern is too short: ${pattern}`;
  if (name.includes("*"))
    return `not a valid wildcard pattern, only patterns ending with '/*' are allowed: ${pattern}`;
  if (isPrefix) return name === "/" ? "at least registry hostname is required" : undefined;
  const reference = parseImageReference(name);
  if (typeof reference === "string") return `failed to parse as an image name: ${reference}`;
  return reference.tag === undefined && reference.digest === undefined
    ? undefined
    : `neither tag nor digest is accepted in an image reference: ${pattern}`;
}
