import type { User } from "../request/identity.ts";
import type { ApiRequest } from "../request/request.ts";

/** Which front proxies may name the user of a request, and by which headers; names of headers in any case. */
export interface FrontProxies {
  /** The common names of proxies; empty to allow any. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeadersPrefix: readonly string[];
}

/** The parts of a request in which a front proxy names a user. */
export type ProxiedRequest = Pick<ApiRequest, "headers" | "rawHeaders" | "peer">;

/** The user that a front proxy names; undefined if it names none, else why it may not. */
export function proxiedUser(
  request: ProxiedRequest,
  { allowedNames, ...headers }: FrontProxies,
): User | string | undefined {
  const { peer } = request;
  if (!peer?.proxy) return undefined;
  if (allowedNames.length > 0 && !allowedNames.includes(peer.commonName))
    return `subject with cn=${peer.commonName} is not in the allowed list`;
  const lines = linesOf(request);
  const all = (names: readonly string[]): string[] =>
    names.flatMap((wanted) =>
      lines.filter(([name, value]) => name === wanted.toLowerCase() && value !== "").map(second),
    );
  const [name] = all(headers.usernameHeaders);
  if (name === undefined) return undefined;
  const [uid] = all(headers.uidHeaders);
  const extra = extraOf(lines, headers.extraHeadersPrefix);
  return {
    name,
    ...(uid !== undefined && { uid }),
    groups: all(headers.groupHeaders),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

const second = ([, value]: readonly [string, string]): string => value;

function extraOf(
  lines: readonly (readonly [string, string])[],
  prefixes: readonly string[],
): Record<string, readonly string[]> {
  const extra: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const prefix of prefixes)
    for (const [name, value] of lines)
      if (name.startsWith(prefix.toLowerCase())) {
        const key = unescaped(name.slice(prefix.length));
        extra[key] = [...(extra[key] ?? []), value];
      }
  return extra;
}

/** A key without its escapes; one that is malformed stays as it is. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The headers with names in lower case, and values as text. */
function linesOf({ headers, rawHeaders }: ProxiedRequest): (readonly [string, string])[] {
  if (!rawHeaders)
    return Object.entries(headers).map(([name, value]) => [name, textOf(value ?? "")]);
  const lines: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    lines.push([(rawHeaders[i] ?? "").toLowerCase(), textOf(rawHeaders[i + 1] ?? "")]);
  return lines;
}

/** UTF-8 of which each byte is a character, as headers arrive. */
function textOf(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes;
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}
