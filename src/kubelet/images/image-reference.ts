/** The parts of an image's name as it is written, without the defaults of a registry and a tag. */
export interface ImageReference {
  /** The name without tag and digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Splits the name of an image; returns the problem, in the words of container tools, if it is not one. */
export function parseImageReference(name: string): ImageReference | string {
  const match = form.exec(name);
  if (match === null)
    return form.test(name.toLowerCase())
      ? "repository name must be lowercase"
      : "invalid reference format";
  const [, repository = "", tag, digest] = match;
  if (repository.length > mostNameCharacters)
    return `repository name must not be more than ${mostNameCharacters} characters`;
  return { repository, tag, digest };
}

const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";

/** An image's name, tag and digest. */
const form = new RegExp(
  `^((?:${domain}/)?${pathPart}(?:/${pathPart})*)(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`,
);
const mostNameCharacters = 255;
