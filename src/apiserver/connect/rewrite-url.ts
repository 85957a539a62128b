import { escapePath, joinPaths } from "./location.ts";

/** How a page that is seen through the server knows itself, and how others know it. */
export interface PageAddress {
  /** The path under which the client sees what the other side calls `/`. */
  readonly prefix: string;
  /** The other side's own host, and what the client calls it. */
  readonly host: string;
  readonly requestHost: string;
}

/** A URL of a page so that it leads through the server again; what leads elsewhere stays. */
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
  // What Go does not take for a URL is left alone.
  if (/[\0-\x20\x7f]/.test(text.replace(/[?#].*$/s, "")) || /%(?![\da-f]{2})/i.test(text))
    return undefined;
  const [, scheme = "", host = "", path = "", rest = ""] =
    /^([a-z][a-z\d+.-]*:)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/is.exec(text) ?? [];
  return { scheme, host, path, rest };
}
