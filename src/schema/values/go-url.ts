import { parseIp } from "./ip.ts";
import { quote } from "./quote.ts";

/** The parts of a URL as Go's net/url sees them; `user` as it would be written again. */
export interface GoUrl {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
  /** The path as it would be written again. */
  readonly escapedPath: string;
  /** What follows the scheme where that is no path. */
  readonly opaque: string;
  readonly query: string;
  readonly fragment: string;
}

/** The parts of a URL, or the error that Go's url.Parse gives. */
export function parseGoUrl(text: string): GoUrl | string {
  const [url, fragment] = cut(text, "#");
  try {
    const parts = parseParts(url);
    return { ...parts, fragment: within(text, () => unescaped(fragment, "fragment")) };
  } catch (error) {
    if (error instanceof UrlFault) return `parse ${quote(error.url ?? url)}: ${error.message}`;
    throw error;
  }
}

/** Why Go does not take a text for what a request asks for, a path or a URL; undefined if it does. */
export function requestUriFault(text: string): string | undefined {
  try {
    if (text !== "*") parseParts(text, { isRequest: true });
    return undefined;
  } catch (error) {
    if (error instanceof UrlFault) return `parse ${quote(text)}: ${error.message}`;
    throw error;
  }
}

/** The name and the port of a host: `[::1]:80`. */
export function splitGoHost(host: string): { readonly name: string; readonly port: string } {
  const [, before = host, port = ""] = /^(.*):([0-9]*)$/s.exec(host) ?? [];
  const [, inside = before] = /^\[(.*)\]$/s.exec(before) ?? [];
  return { name: inside, port };
}

/** The values of each name in a query; what cannot be read is left out. */
export function parseGoQuery(query: string): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const [name, value] = cut(part, "=");
    try {
      const key = unescaped(name.replaceAll("+", " "), "query");
      const read = unescaped(value.replaceAll("+", " "), "query");
      values.set(key, [...(values.get(key) ?? []), read]);
    } catch (error) {
      if (!(error instanceof UrlFault)) throw error;
    }
  }
  return values;
}

/** What is wrong with a URL, in Go's words. */
class UrlFault extends Error {
  url: string | undefined;
}

function within<T>(url: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof UrlFault) error.url = url;
    throw error;
  }
}

type Parts = Omit<GoUrl, "fragment">;

function parseParts(url: string, { isRequest = false } = {}): Parts {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(url))
    throw new UrlFault("net/url: invalid control character in URL");
  if (isRequest && url === "") throw new UrlFault("empty url");
  if (url.startsWith(":")) throw new UrlFault("missing protocol scheme");
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(url)?.[0] ?? "";
  const [rest, query] = cut(scheme === "" ? url : url.slice(scheme.length + 1), "?");
  const none = {
    scheme: scheme.toLowerCase(),
    user: undefined,
    host: "",
    query,
    opaque: "",
    ...pathParts(""),
  };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...none, opaque: rest };
    if (isRequest) throw new UrlFault("invalid URI for request");
    if (cut(rest, "/")[0].includes(":"))
      throw new UrlFault("first path segment in URL cannot contain colon");
  }
  if (!rest.startsWith("//") || (scheme === "" && (isRequest || rest.startsWith("///"))))
    return { ...none, ...pathParts(rest) };
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return {
    ...none,
    ...parseAuthority(authority),
    ...pathParts(slash < 0 ? "" : rest.slice(slash)),
  };
}

/** A path, and how it is written: as it was, unless it has characters that must be escaped. */
function pathParts(written: string): Pick<Parts, "path" | "escapedPath"> {
  const path = unescaped(written, "path");
  const isEscaped = /^[A-Za-z0-9!$&'()*+,;=:@[\]%._~/-]*$/.test(written);
  return { path, escapedPath: isEscaped ? written : escaped(path, pathCharacter) };
}

function parseAuthority(authority: string): Pick<Parts, "user" | "host"> {
  const at = authority.lastIndexOf("@");
  const host = parseHost(authority.slice(at + 1));
  if (at < 0) return { user: undefined, host };
  const info = authority.slice(0, at);
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(info))
    throw new UrlFault("net/url: invalid userinfo");
  const [name, password] = cut(info, ":");
  const written = [name, ...(info.includes(":") ? [password] : [])];
  return { user: written.map((part) => escapeUser(unescaped(part, "user"))).join(":"), host };
}

function parseHost(host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new UrlFault("invalid IP-literal");
  if (open === 0) return parseLiteral(host);
  if (host.includes(":")) checkPort(host.slice(host.indexOf(":")));
  return unescaped(host, "host");
}

/** An address in brackets, which must be one of IPv6. */
function parseLiteral(host: string): string {
  const close = host.lastIndexOf("]");
  if (close < 0) throw new UrlFault("missing ']' in host");
  const port = host.slice(close + 1);
  checkPort(port);
  const inside = host.slice(1, close);
  const zone = inside.indexOf("%25");
  const address = unescaped(zone < 0 ? inside : inside.slice(0, zone), "host");
  const name = address + (zone < 0 ? "" : unescaped(inside.slice(zone), "zone"));
  if (!parseIp(address))
    throw new UrlFault(`invalid host: ParseAddr(${quote(name)}): unable to parse IP`);
  if (!address.includes(":")) throw new UrlFault("invalid IP-literal");
  return `[${name}]${port}`;
}

function checkPort(port: string): void {
  if (!/^(?::[0-9]*)?$/.test(port)) throw new UrlFault(`invalid port ${quote(port)} after host`);
}

type Mode = "path" | "query" | "fragment" | "user" | "host" | "zone";
const hostCharacter = /^[A-Za-z0-9!$&'()*+,;=:[\]<>"._~-]$/;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

function unescaped(text: string, mode: Mode): string {
  const isHost = mode === "host" || mode === "zone";
  const bytes: number[] = [];
  for (let i = 0; i < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(i) ?? 0);
    if (char === "%") {
      bytes.push(escapedByte(text.slice(i, i + 3), mode));
      i += 3;
      continue;
    }
    if (isHost && char < "\u0080" && !hostCharacter.test(char))
      throw new UrlFault(`invalid character ${quote(char)} in host name`);
    bytes.push(...encoder.encode(char));
    i += char.length;
  }
  return decoder.decode(new Uint8Array(bytes));
}

function escapedByte(triple: string, mode: Mode): number {
  const refuse = () => new UrlFault(`invalid URL escape ${quote(triple)}`);
  if (!/^%[0-9a-fA-F]{2}$/.test(triple)) throw refuse();
  const byte = Number.parseInt(triple.slice(1), 16);
  if (triple === "%25") return byte;
  if (mode === "host" && byte < 0x80) throw refuse();
  const char = String.fromCharCode(byte);
  if (mode === "zone" && char !== " " && !hostCharacter.test(char)) throw refuse();
  return byte;
}

const pathCharacter = /^[A-Za-z0-9._~$&+,/:;=@-]$/;

const escapeUser = (text: string): string => escaped(text, /^[A-Za-z0-9._~$&+,;=-]$/);

const escaped = (text: string, plain: RegExp): string =>
  Array.from(encoder.encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    if (plain.test(char)) return char;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

function cut(text: string, separator: string): readonly [before: string, after: string] {
  const i = text.indexOf(separator);
  return i < 0 ? [text, ""] : [text.slice(0, i), text.slice(i + 1)];
}
