import { escapePath, joinPaths } from "./location.ts";

/** The URL of a proxied page, as its server and as the client see it. */
export interface PageAddress {
  /** The path under which the client sees the `/` of the target. */
  readonly prefix: string;
  /** The target's host, and the host that the client uses. */
  readonly host: string;
  readonly requestHost: string;
}

/** Rewrites a URL of a page so that it leads through this server; URLs of other hosts stay. */
export function rewriteUrl(text: string, { prefix, host, requestHost }: PageAddress): string {
  const url = parse(text);
  if (!url) return text;
  const isElsewhere = url.host !== "" && url.host !== host && url.host !== requestHost;
  if (isElsewhere || !url.path.startsWith("/")) return text;
  const origin = url.host !== "" && url.host === requestHost ? `${url.scheme}//${url.host}` : "";
  const begin = escapePath(prefix);
  if (url.path.startsWith(begin)) return `${origin}${url.path}${url.rest}`;
  const joined = joinPaths(begin, url.path);
  const slash = url.path.endsWith("/") && !joined.endsWith("/") ? "/" : "";
  return `${origin}${joined}${slash}${url.rest}`;
}

interface Url {
  /** With its colon, if any. */
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment. */
  readonly rest: string;
}

function parse(text: string): Url | undefined {
  // Text that Go does not parse as a URL stays as it is.
  if (/[\0-\x20\x7f]/.test(text.replace(/[?#].*$/s, "")) || /%(?![\da-f]{2})/i.test(text))
    return undefined;
  const [, scheme = "", host = "", path = "", rest = ""] =
    /^([a-z][a-z\d+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(text) ?? [];
  return { scheme, host, path, rest };
}
