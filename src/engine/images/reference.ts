/** The name of an image, in full. */
export interface Reference {
  /** The registry: `docker.io`, `localhost:5000`. */
  readonly domain: string;
  /** The repository in it: `library/busybox`. */
  readonly path: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

/** A name that cannot be parsed; the messages are those of docker and containerd. */
class InvalidReference extends Error {
  override readonly name = "InvalidReference";
}

/** Parses a name in its familiar form (`busybox`, `user/name:tag`) or in full. */
export function parseReference(text: string): Reference {
  if (identifier.test(text))
    throw new InvalidReference(
      `invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`,
    );
  const { domain, rest } = splitDomain(text);
  const repository = rest.includes(":") ? rest.slice(0, rest.indexOf(":")) : rest;
  if (repository.toLowerCase() !== repository)
    throw new InvalidReference(
      `invalid reference format: repository name (${repository}) must be lowercase`,
    );
  return parseCanonical(`${domain}/${rest}`);
}

/** The same name with the tag `latest`, unless it has a tag or a digest. */
export const withDefaultTag = (reference: Reference): Reference =>
  reference.tag === undefined && reference.digest === undefined
    ? { ...reference, tag: "latest" }
    : reference;

/** As containerd and CRI name an image: with a default tag, and without a tag beside a digest. */
export function parseImageName(text: string): Reference {
  const { tag, ...rest } = withDefaultTag(parseReference(text));
  return rest.digest === undefined ? { ...rest, tag } : rest;
}

/** `docker.io/library/busybox` */
export const repositoryOf = ({ domain, path }: Pick<Reference, "domain" | "path">): string =>
  `${domain}/${path}`;

/** `docker.io/library/busybox:latest` */
export const fullName = (reference: Reference): string =>
  `${repositoryOf(reference)}${suffixOf(reference)}`;

/** As people write it: `busybox:latest`. */
export const familiarName = (reference: Reference): string =>
  `${familiarRepository(reference)}${suffixOf(reference)}`;

/** As people write it, without tag and digest: `busybox`. */
export function familiarRepository({ domain, path }: Pick<Reference, "domain" | "path">): string {
  if (domain !== dockerDomain) return `${domain}/${path}`;
  const official = /^library\/([^/]+)$/.exec(path);
  return official?.[1] ?? path;
}

/** Where requests for a registry go: those of `docker.io` are served by another host. */
export const registryHost = (domain: string): string =>
  domain === dockerDomain ? "registry-1.docker.io" : domain;

const dockerDomain = "docker.io";

const identifier = /^[a-f0-9]{64}$/;
const domainPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const domainPattern = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const pathPart = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const namePattern = `(?:(${domainPattern})/)?(${pathPart}(?:/${pathPart})*)`;
const digestPattern = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const pattern = new RegExp(`^${namePattern}(?::(\\w[\\w.-]{0,127}))?(?:@(${digestPattern}))?$`);

/** The longest text that is matched: names are at most 255, tags 128 and digests some 140 characters. */
const mostCharacters = 4096;
const mostPathCharacters = 255;

function parseCanonical(text: string): Reference {
  const match = text.length > mostCharacters ? null : pattern.exec(text);
  if (match === null) {
    const isLowerCaseValid =
      text.length <= mostCharacters && pattern.test(text.toLowerCase()) && !pattern.test(text);
    throw new InvalidReference(
      isLowerCaseValid ? "repository name must be lowercase" : "invalid reference format",
    );
  }
  const [, domain = "", path = "", tag, digest] = match;
  if (path.length > mostPathCharacters)
    throw new InvalidReference(
      `repository name must not be more than ${mostPathCharacters} characters`,
    );
  if (digest !== undefined) checkDigest(digest);
  return {
    domain,
    path,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** The hexadecimal digits of the known algorithms. */
const digestDigits: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

function checkDigest(digest: string): void {
  const [algorithm = "", hex = ""] = digest.split(":");
  if (!Object.hasOwn(digestDigits, algorithm))
    throw new InvalidReference("unsupported digest algorithm");
  if (hex.length !== digestDigits[algorithm])
    throw new InvalidReference("invalid checksum digest length");
  if (hex.toLowerCase() !== hex) throw new InvalidReference("invalid checksum digest format");
}

/** The part before the first slash is a registry if it could not be a user name. */
function splitDomain(text: string): { domain: string; rest: string } {
  const slash = text.indexOf("/");
  const first = slash < 0 ? "" : text.slice(0, slash);
  const isDomain = /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first;
  const domain = isDomain && first !== "index.docker.io" ? first : dockerDomain;
  const rest = isDomain ? text.slice(slash + 1) : text;
  return {
    domain,
    rest: domain === dockerDomain && !rest.includes("/") ? `library/${rest}` : rest,
  };
}

const suffixOf = ({ tag, digest }: Reference): string =>
  `${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
