import { hostPort } from "../../../base/network.ts";
import { quote } from "../../../schema/values/quote.ts";
import { resolvePath } from "./resolve-path.ts";

/** The address of a request, in the form in which Go sends and prints it. */
export interface HttpUrl {
  readonly scheme: string;
  /** Host and port, such as `[::1]:80`; empty if there is none to connect to. */
  readonly authority: string;
  /** Escaped. */
  readonly path: string;
  /** With the question mark. */
  readonly query: string;
  /** With the number sign. */
  readonly fragment: string;
}

export interface HttpPlace {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** The path of a probe or hook, which may have a query. */
  readonly path: string;
}

/** The address of a place. A path that is no URL is taken literally. */
export function httpUrl({ scheme, host, port, path }: HttpPlace): HttpUrl {
  const authority = hostPort(escapeHost(host), port);
  const parsed = parseReference(path);
  if (typeof parsed === "string")
    return { scheme, authority, path: rooted(escapePath(path)), query: "", fragment: "" };
  const { opaque, query, fragment } = parsed;
  if (opaque !== undefined) return { scheme, authority: "", path: opaque, query, fragment };
  return { scheme, authority, path: rooted(parsed.path), query, fragment };
}

/** The address as text. */
export const urlText = ({ scheme, authority, path, query, fragment }: HttpUrl): string =>
  `${scheme}:${authority === "" ? "" : "//"}${authority}${path}${query}${fragment}`;

/** The host without brackets and port. */
export const hostnameOf = ({ authority }: HttpUrl): string =>
  authority
    .replace(/:[0-9]*$/, "")
    .replace(/^\[(.*)\]$/, "$1")
    .replace("%25", "%");

/** The port of an address, which may be that of its scheme. */
export const portOf = ({ scheme, authority }: HttpUrl): number =>
  Number(/:([0-9]+)$/.exec(authority)?.[1] ?? (scheme === "https" ? 443 : 80));

/** Resolves the location to which a server redirects; a text says what is wrong with it. */
export function resolveLocation(base: HttpUrl, location: string): HttpUrl | string {
  const parsed = parseReference(location);
  if (typeof parsed === "string") return parsed;
  const { scheme, authority, opaque, path, query, fragment } = parsed;
  const common = { scheme: scheme || base.scheme, query, fragment };
  if (opaque !== undefined) return { ...common, authority: "", path: opaque };
  if (scheme !== "" || authority !== undefined)
    return { ...common, authority: authority ?? "", path: resolvePath(path, "") };
  const isEmpty = path === "" && query === "";
  return {
    ...common,
    authority: base.authority,
    path: resolvePath(base.path, path),
    query: isEmpty ? base.query : query,
    fragment: isEmpty && fragment === "" ? base.fragment : fragment,
  };
}

/** Whether a location names its scheme. */
export const isAbsolute = (location: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(location);

interface Reference {
  readonly scheme: string;
  readonly authority: string | undefined;
  /** What follows the scheme, if that is no path. */
  readonly opaque?: string | undefined;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parts of an absolute or relative address, or what is wrong with it in Go's words. */
function parseReference(text: string): Reference | string {
  const [, whole = "", fragment = ""] = /^([^#]*)(#?[\s\S]*)$/.exec(text) ?? [];
  const wrong = (why: string): string => `parse ${quote(whole)}: ${why}`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\x00-\x1f\x7f]/.test(whole)) return wrong("net/url: invalid control character in URL");
  if (whole.startsWith(":")) return wrong("missing protocol scheme");
  const [, named = "", rest = "", query = ""] =
    /^(?:([a-z][a-z0-9+.-]*):)?([^?]*)(\??.*)$/i.exec(whole) ?? [];
  const tail = { scheme: named.toLowerCase(), query, fragment: fragment === "#" ? "" : fragment };
  if (!rest.startsWith("/")) {
    if (named !== "") return { ...tail, authority: undefined, opaque: rest, path: "" };
    if (/^[^/]*:/.test(rest)) return wrong("first path segment in URL cannot contain colon");
  }
  const [, authority, raw = ""] =
    rest.startsWith("//") && (named !== "" || !rest.startsWith("///"))
      ? (/^\/\/([^/]*)(.*)$/.exec(rest) ?? [])
      : [undefined, undefined, rest];
  const broken = /%(?![0-9a-f]{2})[\s\S]{0,2}/i.exec(raw);
  if (broken) return wrong(`invalid URL escape ${quote(broken[0])}`);
  return { ...tail, authority: authority?.replace(/^.*@/, ""), path: escapedPath(raw) };
}

const rooted = (path: string): string => (path === "" || path.startsWith("/") ? path : `/${path}`);

/** A path that is written with valid characters stays as it is. */
function escapedPath(raw: string): string {
  if (/^[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]%]*$/.test(raw)) return raw;
  const bytes = bytesOf(raw).replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return escapeBytes(bytes);
}

const escapePath = (text: string): string => escapeBytes(bytesOf(text));

const escapeBytes = (bytes: string): string =>
  bytes.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@]/g, escapeByte);

const escapeHost = (host: string): string =>
  bytesOf(host).replace(/[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/g, escapeByte);

const escapeByte = (byte: string): string =>
  `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** The bytes of a text in UTF-8, each as a character. */
const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text));
