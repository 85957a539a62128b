import type { HeaderLines } from "../../base/http/http1-message.ts";
import type { FrontProxies } from "../authentication/front-proxy.ts";
import type { User } from "../request/identity.ts";

/** The headers by which a front proxy tells a server who the caller is. */
export function userHeaders({ name, uid = "", groups, extra = {} }: User): HeaderLines {
  return [
    ["X-Remote-User", bytesOf(name)],
    ...(uid === "" ? [] : [["X-Remote-Uid", bytesOf(uid)] as const]),
    ...groups.map((group) => ["X-Remote-Group", bytesOf(group)] as const),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => [`X-Remote-Extra-${escapeKey(key)}`, bytesOf(value)] as const),
    ),
  ];
}

/** Tests whether a header, by its name in lower case, tells who the caller is, so that no client may set it. */
export function userHeaderTest(proxies: FrontProxies | undefined): (name: string) => boolean {
  const known = [
    ...["x-remote-user", "x-remote-uid", "x-remote-group"],
    ...(proxies?.usernameHeaders ?? []),
    ...(proxies?.uidHeaders ?? []),
    ...(proxies?.groupHeaders ?? []),
  ];
  const names = new Set(known.map((name) => name.toLowerCase()));
  const prefixes = ["x-remote-extra-", ...(proxies?.extraHeadersPrefix ?? [])].map((prefix) =>
    prefix.toLowerCase(),
  );
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** Escapes what a header's name cannot contain. */
const escapeKey = (key: string): string =>
  bytesOf(key).replaceAll(
    /[^!#$&'*+.^_`|~\w-]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );

/** UTF-8 with one character per byte, as headers are sent. */
const bytesOf = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
