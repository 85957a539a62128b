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
  const match = reference.exec(name);
  if (match === null) {
    const isLowerCaseValid = reference.test(name.toLowerCase());
    const why = isLowerCaseValid ? "repository name must be lowercase" : "invalid reference format";
    return `failed to parse as an image name: ${why}`;
  }
  const [, repository = "", tag, digest] = match;
  if (repository.length > mostNameCharacters)
    return `failed to parse as an image name: repository name must not be more than ${mostNameCharacters} characters`;
  return tag === undefined && digest === undefined
    ? undefined
    : `neither tag nor digest is accepted in an image reference: ${pattern}`;
}

const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";

/** An image's name, tag and digest. */
const reference = new RegExp(
  `^((?:${domain}/)?${pathPart}(?:/${pathPart})*)(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`,
);
const mostNameCharacters = 255;
