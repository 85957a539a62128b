import { parseIp } from "../../../schema/values/ip.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The parts of a URL as Go's net/url sees them; `user` as it would be written again. */
export interface GoUrl {
  readonly scheme: string;
  readonly user: string | undefined;
  readonly host: string;
  readonly path: string;
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

function parseParts(url: string): Parts {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  if (/[\u0000-\u001f\u007f]/.test(url))
    throw new UrlFault("net/url: invalid control character in URL");
  if (url.startsWith(":")) throw new UrlFault("missing protocol scheme");
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(url)?.[0] ?? "";
  const [rest, query] = cut(scheme === "" ? url : url.slice(scheme.length + 1), "?");
  const none = { scheme: scheme.toLowerCase(), user: undefined, host: "", query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...none, path: "" };
    if (cut(rest, "/")[0].includes(":"))
      throw new UrlFault("first path segment in URL cannot contain colon");
  }
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///")))
    return { ...none, path: unescaped(rest, "path") };
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return {
    ...none,
    ...parseAuthority(authority),
    path: slash < 0 ? "" : unescaped(rest.slice(slash), "path"),
  };
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

type Mode = "path" | "fragment" | "user" | "host" | "zone";
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

const escapeUser = (text: string): string =>
  Array.from(encoder.encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    if (/^[A-Za-z0-9._~$&+,;=-]$/.test(char)) return char;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

function cut(text: string, separator: string): readonly [before: string, after: string] {
  const i = text.indexOf(separator);
  return i < 0 ? [text, ""] : [text.slice(0, i), text.slice(i + 1)];
}
