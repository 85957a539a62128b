import { type Cidr, type Ip, parseIp } from "../../schema/values/ip.ts";
import { quote } from "../../schema/values/quote.ts";

/** Reads an address; or tells what is wrong with it, as Go does. */
export function readAddress(text: string): Ip | string {
  const ip = parseIp(text);
  if (ip !== undefined) return ip;
  const [mark] = /[.:%]/.exec(text) ?? [];
  if (mark === ".") return fault(text, ipv4Fault(text) ?? { what: "unable to parse IP" });
  if (mark === ":") return fault(text, ipv6Fault(text));
  return fault(text, {
    what: mark === "%" ? "missing IPv6 address" : "unable to parse IP",
  });
}

/** Reads a network; or tells what is wrong with it, as Go does. */
export function readPrefix(text: string): Cidr | string {
  const told = (what: string): string => `netip.ParsePrefix(${quote(text)}): ${what}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return told("no '/'");
  const ip = readAddress(text.slice(0, slash));
  if (typeof ip === "string") return told(ip);
  if (ip.zone !== undefined) return told("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  const isOutOfRange = bits.length > 18;
  if (!/^(?:[0-9]|[1-9][0-9]+)$/.test(bits) || isOutOfRange)
    return told(`bad bits after slash: ${quote(bits)}`);
  const prefix = Number(bits);
  return prefix > (ip.version === 4 ? 32 : 128)
    ? told("prefix length out of range")
    : { ip, prefix };
}

/** What is wrong, and from where on. */
interface Fault {
  readonly what: string;
  readonly at?: string;
}

const fault = (text: string, { what, at }: Fault): string =>
  `ParseAddr(${quote(text)}): ${what}${at === undefined ? "" : ` (at ${quote(at)})`}`;

function ipv4Fault(text: string): Fault | undefined {
  const fields = text.split(".");
  let at = 0;
  for (const [i, field] of fields.entries()) {
    const value = fieldFault(field, text, at);
    if (value !== undefined) return value;
    at += field.length;
    if (i === fields.length - 1) break;
    const isBare = field === "" || fields[i + 1] === "";
    if (isBare && (field === "" || i + 2 === fields.length))
      return { what: "IPv4 field must have at least one digit", at: text.slice(at) };
    if (i === 3) return { what: "IPv4 address too long" };
    at++;
  }
  return fields.length < 4 ? { what: "IPv4 address too short" } : undefined;
}

function fieldFault(field: string, text: string, at: number): Fault | undefined {
  const [digits = ""] = /^[0-9]*/.exec(field) ?? [];
  const tooLarge = [...digits].findIndex((_, i) => Number(digits.slice(0, i + 1)) > 255);
  if (/^0[0-9]/.test(digits)) return { what: "IPv4 field has octet with leading zero" };
  if (tooLarge >= 0) return { what: "IPv4 field has value >255" };
  return digits.length < field.length
    ? { what: "unexpected character", at: text.slice(at + digits.length) }
    : undefined;
}

function ipv6Fault(text: string): Fault {
  const percent = text.indexOf("%");
  if (percent >= 0 && percent === text.length - 1)
    return { what: "zone must be a non-empty string" };
  const address = percent < 0 ? text : text.slice(0, percent);
  const starts = address.startsWith("::");
  let place = { rest: starts ? address.slice(2) : address, hasEllipsis: starts, bytes: 0 };
  while (place.bytes < 16) {
    const [digits = ""] = /^[0-9a-fA-F]*/.exec(place.rest) ?? [];
    const wrong = groupFault(digits, place);
    if (wrong !== undefined) return wrong;
    place = { ...place, bytes: place.bytes + 2, rest: place.rest.slice(digits.length) };
    if (place.rest === "") break;
    const next = afterColon(place);
    if ("what" in next) return next;
    place = next;
    if (place.rest === "") break;
  }
  if (place.rest !== "") return { what: "trailing garbage after address", at: place.rest };
  return place.bytes < 16
    ? { what: "address string too short" }
    : { what: "the :: must expand to at least one field of zeros" };
}

/** How far an address of IPv6 was read. */
interface Place {
  readonly rest: string;
  readonly hasEllipsis: boolean;
  readonly bytes: number;
}

function groupFault(digits: string, place: Place): Fault | undefined {
  const { rest } = place;
  if (digits.length > 4) return { what: "each group must have 4 or less digits", at: rest };
  if (digits === "")
    return { what: "each colon-separated field must have at least one digit", at: rest };
  return rest[digits.length] === "." ? embeddedFault(rest, place) : undefined;
}

function afterColon({ rest, hasEllipsis, bytes }: Place): Place | Fault {
  if (!rest.startsWith(":")) return { what: "unexpected character, want colon", at: rest };
  if (rest.length === 1) return { what: "colon must be followed by more characters", at: rest };
  if (rest[1] !== ":") return { rest: rest.slice(1), hasEllipsis, bytes };
  if (hasEllipsis) return { what: "multiple :: in address", at: rest.slice(1) };
  return { rest: rest.slice(2), hasEllipsis: true, bytes };
}

function embeddedFault(
  rest: string,
  { hasEllipsis, bytes }: { readonly hasEllipsis: boolean; readonly bytes: number },
): Fault {
  if (!hasEllipsis && bytes !== 12)
    return {
      what: "embedded IPv4 address must replace the final 2 fields of the address",
      at: rest,
    };
  if (bytes + 4 > 16)
    return {
      what: "too many hex fields to fit an embedded IPv4 at the end of the address",
      at: rest,
    };
  return ipv4Fault(rest) ?? { what: "the :: must expand to at least one field of zeros" };
}
