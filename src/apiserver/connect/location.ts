import type { DialTarget, DialTls } from "../../base/network.ts";

/** The target of a proxied request. */
export interface Location {
  readonly scheme: "http" | "https";
  /** With its port, if it has one: `[::1]:80`. */
  readonly host: string;
  /** Decoded; may be empty. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  /** How to verify the target, if it speaks TLS. */
  readonly tls: DialTls;
}

/** The host and port to connect to for a location. */
export function targetOf({ scheme, host, tls }: Location): DialTarget {
  const [, name = "", port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(bracketed(host)) ?? [];
  const isSecure = scheme === "https";
  return {
    host: name,
    port: port === undefined ? (isSecure ? 443 : 80) : Number(port),
    ...(isSecure && { tls }),
  };
}

/** The request target for the other side: path and query, escaped. */
export const requestTarget = ({ path, query }: Pick<Location, "path" | "query">): string =>
  `${escapePath(path === "" ? "/" : path)}${query === "" ? "" : `?${query}`}`;

/** The URL, as errors show it. */
export const urlOf = (location: Location): string =>
  `${location.scheme}://${location.host}${location.path === "" ? "" : requestTarget(location)}`;

/** A path as Go writes it into a URL. */
export const escapePath = (path: string): string =>
  encodeURI(path).replaceAll(/[!'()*?#]|%5[BD]/g, (character) =>
    character.length > 1 ? character : `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A query as Go writes it: sorted by name. */
export function encodeQuery(values: readonly (readonly [name: string, value: string])[]): string {
  return [...values]
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([name, value]) => `${escapeQuery(name)}=${escapeQuery(value)}`)
    .join("&");
}

const escapeQuery = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");

/** Joins paths as Go's `path.Join` does, without dots and doubled slashes. */
export function joinPaths(...paths: readonly string[]): string {
  const joined = paths.filter((path) => path !== "").join("/");
  if (joined === "") return "";
  const isAbsolute = joined.startsWith("/");
  const kept: string[] = [];
  for (const segment of joined.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isAbsolute) kept.push("..");
  }
  return (isAbsolute ? "/" : "") + kept.join("/") || (isAbsolute ? "/" : ".");
}

/** The same, but a slash at the end stays. */
export function joinKeepingSlash(...paths: readonly string[]): string {
  const joined = joinPaths(...paths);
  const last = paths.findLast((path) => path !== "") ?? "";
  return last.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined;
}

/** An address without brackets is all host. */
const bracketed = (host: string): string =>
  host.split(":").length > 2 && !host.startsWith("[") ? `[${host}]` : host;
