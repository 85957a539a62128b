import type { At } from "../../../schema/language/report.ts";
import { isCIdentifier, isDns1123Label, isDns1123Subdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { validateCsiDriverName } from "../../core/v1/volume/sources/csi.ts";
import { byteLength } from "./bounded.ts";

/** The name of a driver follows the rules of CSI drivers. */
export const validateDriverName = validateCsiDriverName;

/** The name of a request, a device or a counter: a DNS label. */
export function validateShortName(name: string | undefined, at: At): void {
  at.invalidEach("", name ?? "", isDns1123Label(name ?? ""));
}

/** One or more DNS subdomains with slashes between them. */
export function validatePoolName(name: string, at: At): void {
  if (name === "") {
    at.required();
    return;
  }
  if (byteLength(name) > 253) at.tooLong("", 253);
  for (const part of name.split("/")) at.invalidEach("", part, isDns1123Subdomain(part));
}

const maxDomain = 63;
const maxId = 32;
/** The longest name of an attribute or capacity. */
export const maxQualifiedName = maxDomain + 1 + maxId;

/** The name of an attribute or capacity: an identifier, and perhaps a domain before it. */
export function validateQualifiedName(name: string, at: At): void {
  const parts = name.split("/");
  const [first = "", second = ""] = parts;
  if (parts.length === 1) validateIdentifier(first, at);
  // Upstream lets pass what has more than one slash.
  if (parts.length !== 2) return;
  if (first === "") at.invalid("", "", "the domain must not be empty");
  else validateDriverName(first, at);
  if (second === "") at.invalid("", "", "the name must not be empty");
  else validateIdentifier(second, at);
}

/** A qualified name that has a domain. */
export function validateFullyQualifiedName(name: string, at: At): void {
  validateQualifiedName(name, at);
  if (!name.includes("/"))
    at.invalid("", name, "a fully qualified name must be a domain and a name separated by a slash");
}

function validateIdentifier(id: string, at: At): void {
  if (byteLength(id) > maxId) at.tooLong("", maxId);
  at.invalidEach("", id, isCIdentifier(id));
}

/** A UUID in its normal form. */
export function validateUuid(uid: string, at: At): void {
  const fault = uuidFault(uid);
  if (fault) at.invalid("", uid, `error validating uid: ${fault}`);
  else if (byteLength(uid) !== 36 || uid !== uid.toLowerCase())
    at.invalid(
      "",
      uid,
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
    );
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const plainUuid = /^[0-9a-f]{32}$/i;
const wrongFormat = "invalid UUID format";

/** What is wrong with a UUID in any of the four forms that it may be written in. */
function uuidFault(text: string): string | undefined {
  switch (byteLength(text)) {
    case 36:
      return uuid.test(text) ? undefined : wrongFormat;
    case 45: {
      const prefix = text.slice(0, 9);
      if (prefix.toLowerCase() !== "urn:uuid:") return `invalid urn prefix: ${quote(prefix)}`;
      return uuid.test(text.slice(9)) ? undefined : wrongFormat;
    }
    case 38:
      if (!text.startsWith("{") || !text.endsWith("}")) return "invalid bracketed UUID format";
      return uuid.test(text.slice(1, -1)) ? undefined : wrongFormat;
    case 32:
      return plainUuid.test(text) ? undefined : wrongFormat;
    default:
      return `invalid UUID length: ${byteLength(text)}`;
  }
}
