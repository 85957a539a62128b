/** The parts of an image's name; without tag and digest, the tag is `latest`. */
export interface ImageName {
  readonly domain: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

/** Reads the name of an image as container tools do; undefined when it is not one. */
export function parseImageName(image: string): ImageName | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return undefined;
  const { domain, remainder } = splitDomain(image);
  if (!domainForm.test(domain)) return undefined;
  const [, path, tag, digest] = referenceForm.exec(remainder) ?? [];
  if (path === undefined || path.length > 255) return undefined;
  if (digest !== undefined && !digestForm.test(digest)) return undefined;
  return { domain, path, tag: tag ?? (digest === undefined ? "latest" : undefined), digest };
}

/** Why a text is not the name of an image, in the words of container tools; undefined if it is one. */
export function imageNameProblem(image: string): string | undefined {
  if (parseImageName(image)) return undefined;
  if (/^[a-f0-9]{64}$/.test(image))
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, remainder } = splitDomain(image);
  const [name = ""] = remainder.split(":", 1);
  if (name.toLowerCase() !== name)
    return `invalid reference format: repository name (${name}) must be lowercase`;
  const [, path = "", , digest] = referenceForm.exec(remainder) ?? [];
  if (path.length > 255 && domainForm.test(domain))
    return "repository name must not be more than 255 characters";
  if (digest === undefined || !domainForm.test(domain)) return "invalid reference format";
  const [algorithm = ""] = digest.split(":", 1);
  if (!/^[A-Za-z0-9_+.-]+:[a-zA-Z0-9=_-]+$/.test(digest)) return "invalid reference format";
  return /^sha(?:256|384|512)$/.test(algorithm)
    ? "invalid checksum digest length"
    : "unsupported digest algorithm";
}

/** When an image is pulled if nobody says: always, if its tag is `latest`. */
export const defaultPullPolicy = (image: string): "Always" | "IfNotPresent" =>
  parseImageName(image)?.tag === "latest" ? "Always" : "IfNotPresent";

const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domainForm = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const referenceForm = new RegExp(
  `^(${component}(?:/${component})*)(?::(\\w[\\w.-]{0,127}))?(?:@(\\S+))?$`,
);
const digestForm = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;

/** Names without a registry are of Docker Hub, and those of one part of its library. */
function splitDomain(image: string): { readonly domain: string; readonly remainder: string } {
  const slash = image.indexOf("/");
  const first = image.slice(0, Math.max(slash, 0));
  if (first === "localhost" || /[.:A-Z]/.test(first))
    return first === "index.docker.io" || first === "docker.io"
      ? ofHub(image.slice(slash + 1))
      : { domain: first, remainder: image.slice(slash + 1) };
  return ofHub(image);
}

const ofHub = (name: string) => ({
  domain: "docker.io",
  remainder: name.includes("/") ? name : `library/${name}`,
});
