import { parseCidrSloppy, parseIp, parseIpSloppy } from "../values/ip.ts";
import { isLongName, isShortName } from "../values/names.ts";
import { parseDate } from "../values/time.ts";
import { parseLooseDuration } from "./loose-duration.ts";

/** Whether a text has a format; undefined where the format is not known, and so is not checked. */
export function hasFormat(format: string, text: string): boolean | undefined {
  return formats[normalised(format)]?.(text);
}

/** Whether a format is known for a type. */
export function isKnownFormat(format: string, type: string): boolean {
  if (type === "integer") return format === "int32" || format === "int64";
  if (type === "number") return format === "float" || format === "double";
  return (type === "" || type === "string") && Object.hasOwn(formats, normalised(format));
}

const normalised = (format: string): string => format.replaceAll("-", "");
const matches =
  (pattern: RegExp) =>
  (text: string): boolean =>
    pattern.test(text);
const succeeds =
  (parse: (text: string) => unknown) =>
  (text: string): boolean => {
    try {
      parse(text);
      return true;
    } catch {
      return false;
    }
  };
const isDate = succeeds(parseDate);
const uuid = (version: string, variant: string) =>
  matches(
    new RegExp(
      `^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`,
      "i",
    ),
  );
const digit = "[0-9a-f]";
const byteValue = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => text.includes(".") && parseIpSloppy(text) !== undefined,
  ipv6: (text) => text.includes(":") && parseIp(text) !== undefined,
  cidr: (text) => parseCidrSloppy(text) !== undefined,
  mac: isMac,
  uuid: uuid(digit, digit),
  uuid3: uuid("3", digit),
  uuid4: uuid("4", "[89ab]"),
  uuid5: uuid("5", "[89ab]"),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(
    new RegExp(`^rgb\\(\\s*${byteValue}\\s*,\\s*${byteValue}\\s*,\\s*${byteValue}\\s*\\)$`),
  ),
  byte: matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/),
  password: () => true,
  date: isDate,
  duration: succeeds(parseLooseDuration),
  datetime: isDateTime,
  k8sshortname: (text) => isShortName(text).length === 0,
  k8slongname: (text) => isLongName(text).length === 0,
};

function isRequestUri(text: string): boolean {
  if (text.startsWith("/")) return true;
  return /^[A-Za-z][A-Za-z0-9+.-]*:/.test(text) && URL.canParse(text);
}

/** `name@domain`, or with a name before it in angle brackets. */
function isEmail(text: string): boolean {
  const address = /^(?:[^<>]*)<([^<>]+)>$/.exec(text)?.[1] ?? text;
  return /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+|"(?:[^"\\]|\\.)+")@(?:[^\s@<>[\],;:\\"().]+(?:\.[^\s@<>[\],;:\\"().]+)*|\[[^\]]+\])$/u.test(
    address.trim(),
  );
}

const letter = "a-zA-Z0-9\\p{S}\\p{L}";
const hostname = new RegExp(
  `^([${letter}]((-?[${letter}]{0,62})?)|([${letter}](([${letter}\\-]{0,61}[${letter}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$`,
  "u",
);

function isHostname(text: string): boolean {
  const size = (part: string) => new TextEncoder().encode(part).length;
  return (
    hostname.test(text) && size(text) <= 255 && text.split(".").every((part) => size(part) <= 63)
  );
}

/** Six, eight or twenty bytes, by colons, dashes or dots. */
function isMac(text: string): boolean {
  const bytes = text.split(/[:-]/);
  const separators = new Set(text.match(/[:-]/g));
  const isHex = (parts: readonly string[], digits: number, counts: readonly number[]) =>
    counts.includes(parts.length) &&
    parts.every((part) => part.length === digits && /^[0-9A-Fa-f]+$/.test(part));
  if (separators.size === 1) return isHex(bytes, 2, [6, 8, 20]);
  return isHex(text.split("."), 4, [3, 4, 10]);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{9}(?:\d|X)$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, each, i) => total + (i + 1) * (each === "X" ? 10 : Number(each)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, "");
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, each, i) => total + Number(each) * (i % 2 === 0 ? 1 : 3),
    0,
  );
  return sum % 10 === 0;
}

const cards =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!cards.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, each, i) => {
    const value = Number(each) * (i % 2 === 0 ? 1 : 2);
    return total + (value >= 10 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** RFC 3339 in letters of any case; what stands before the parts of a second may be anything. */
function isDateTime(text: string): boolean {
  const [date = "", time = ""] = text.toLowerCase().split("t");
  const [, hours = "", minutes = "", seconds = ""] =
    /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/s.exec(time) ?? [];
  return isDate(date) && hours !== "" && hours <= "23" && minutes <= "59" && seconds <= "59";
}
