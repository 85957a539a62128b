import { quote } from "./quote.ts";

/** What is wrong with a name, one sentence each; empty when it is valid. */
export type Messages = readonly string[];

/** A finding whose value is not always the whole of what was checked. */
export interface NameFault {
  readonly type: "Required" | "Invalid";
  readonly value: string;
  readonly detail: string;
}

const valid: Messages = Object.freeze([]);

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const underscored = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const underscoredSubdomain = `${underscored}(\\.${underscored})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const wildcard = `\\*\\.${subdomain}`;
const labelKey = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${labelKey})?`;
const cIdentifier = "[A-Za-z_][A-Za-z0-9_]*";
const configMapKey = "[-._a-zA-Z0-9]+";
const envVar = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const httpHeader = "[-A-Za-z0-9]+";
const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const percent = "[0-9]+%";

const labelRe = whole(label);
const subdomainRe = whole(subdomain);
const caselessSubdomainRe = new RegExp(`^${subdomain}$`, "i");
const underscoredSubdomainRe = whole(underscoredSubdomain);
const dns1035Re = whole(dns1035);
const wildcardRe = whole(wildcard);
const labelKeyRe = whole(labelKey);
const labelValueRe = whole(labelValue);
const cIdentifierRe = whole(cIdentifier);
const configMapKeyRe = whole(configMapKey);
const envVarRe = whole(envVar);
const httpHeaderRe = whole(httpHeader);
const httpPathRe = whole(httpPath);
const percentRe = whole(percent);

const labelText = regexError(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  ["my-name", "123-abc"],
);
const subdomainText = regexError(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  ["example.com"],
);
const caselessSubdomainText = regexError(
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  ["Example.com"],
);
const underscoredSubdomainText = regexError(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  underscoredSubdomain,
  ["example.com"],
);
const dns1035Text = regexError(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035,
  ["my-name", "abc-123"],
);
const wildcardText = regexError(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcard,
  ["*.example.com"],
);
const labelKeyText = regexError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  ["MyName", "my.name", "123-abc"],
);
const labelValueText = regexError(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  ["MyValue", "my_value", "12345"],
);
const cIdentifierText = regexError(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  cIdentifier,
  ["my_name", "MY_NAME", "MyName"],
);
const configMapKeyText = regexError(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configMapKey,
  ["key.name", "KEY_NAME", "key-name"],
);
const envVarText = regexError(
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  envVar,
  ["my.env-name", "MY_ENV.NAME", "MyEnvName1"],
);
const httpHeaderText = regexError(
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  httpHeader,
  ["X-Header-Name"],
);
const percentText = regexError(
  "a valid percent string must be a numeric string followed by an ending '%'",
  percent,
  ["1%", "93%"],
);

/** A DNS label of RFC 1123. */
export function isDns1123Label(value: string): Messages {
  return dnsLabel(value, "characters");
}

/** A DNS subdomain of RFC 1123. */
export function isDns1123Subdomain(value: string): Messages {
  return findings(value, 253, "characters", subdomainRe.test(value) ? "" : subdomainText);
}

/** `isDns1123Label` as declarative validation words it (format k8s-short-name). */
export function isShortName(value: string): Messages {
  return dnsLabel(value, "bytes");
}

/** `isDns1123Subdomain` as declarative validation words it (format k8s-long-name). */
export function isLongName(value: string): Messages {
  return findings(value, 253, "bytes", subdomainRe.test(value) ? "" : subdomainText);
}

/** `isLongName` that takes capitals too (format k8s-long-name-caseless). */
export function isLongNameCaseless(value: string): Messages {
  const good = caselessSubdomainRe.test(value);
  return findings(value, 253, "bytes", good ? "" : caselessSubdomainText);
}

/** A DNS subdomain whose labels may begin with and hold underscores. */
export function isDns1123SubdomainWithUnderscore(value: string): Messages {
  const good = underscoredSubdomainRe.test(value);
  return findings(value, 253, "characters", good ? "" : underscoredSubdomainText);
}

/** A DNS subdomain under `*.`. */
export function isWildcardDns1123Subdomain(value: string): Messages {
  return findings(value, 253, "characters", wildcardRe.test(value) ? "" : wildcardText);
}

/** A DNS label of RFC 1035, which begins with a letter. */
export function isDns1035Label(value: string): Messages {
  return findings(value, 63, "characters", dns1035Re.test(value) ? "" : dns1035Text);
}

/** A label or annotation key: a name with an optional DNS subdomain before a slash. */
export function isQualifiedName(value: string): Messages {
  const slash = value.indexOf("/");
  if (slash < 0) return keyName(value);
  if (value.indexOf("/", slash + 1) >= 0) {
    return [
      `a valid label key ${labelKeyText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = value.slice(0, slash);
  const ofPrefix = prefix === "" ? ["must be non-empty"] : isLongName(prefix);
  const ofName = keyName(value.slice(slash + 1));
  if (ofPrefix.length === 0) return ofName;
  return [...ofPrefix.map((message) => `prefix part ${message}`), ...ofName];
}

/** The value of a label; it may be empty. */
export function isValidLabelValue(value: string): Messages {
  return findings(value, 63, "bytes", labelValueRe.test(value) ? "" : labelValueText);
}

/** A key of a ConfigMap or Secret. */
export function isConfigMapKey(value: string): Messages {
  const good = configMapKeyRe.test(value);
  const messages = findings(value, 253, "characters", good ? "" : configMapKeyText);
  return withDotsCheck(value, messages);
}

/**
 * An environment variable that every shell can refer to.
 * Unused so far: kubectl will need it, for `create configmap --from-env-file`.
 */
export function isEnvVarName(value: string): Messages {
  return withDotsCheck(value, envVarRe.test(value) ? valid : [envVarText]);
}

/** An environment variable as containers take them: printable ASCII without `=`. */
export function isRelaxedEnvVarName(value: string): Messages {
  if (value === "") return ["environment variable name must be non-empty"];
  if (/^[ -<>-~]*$/.test(value)) return valid;
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

/** An identifier of C. */
export function isCIdentifier(value: string): Messages {
  return cIdentifierRe.test(value) ? valid : [cIdentifierText];
}

/** The name of an HTTP header. */
export function isHttpHeaderName(value: string): Messages {
  return httpHeaderRe.test(value) ? valid : [httpHeaderText];
}

/** Digits and a percent sign. */
export function isValidPercent(value: string): Messages {
  return percentRe.test(value) ? valid : [percentText];
}

/** The name of a port: at most 15 lower case letters, digits and single hyphens, one a letter. */
export function isValidPortName(value: string): Messages {
  const messages: string[] = [];
  if (longer(value, 15)) messages.push(maxLenError(15, "characters"));
  if (!/^[-a-z0-9]+$/.test(value)) {
    messages.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(value)) messages.push("must contain at least one letter (a-z)");
  if (value.includes("--")) messages.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) {
    messages.push("must not begin or end with a hyphen");
  }
  return messages;
}

/** A number between two others, both included. */
export function isInRange(value: number, min: number, max: number): Messages {
  if (value >= min && value <= max) return valid;
  return [`must be between ${min} and ${max}, inclusive`];
}

/** The number of a port. */
export function isValidPortNum(value: number): Messages {
  return isInRange(value, 1, 65535);
}

/** A Unix user id. */
export function isValidUserId(value: number): Messages {
  return isInRange(value, 0, 2147483647);
}

/** A Unix group id. */
export function isValidGroupId(value: number): Messages {
  return isInRange(value, 0, 2147483647);
}

/** A name that may stand in a path; as a prefix it may be `.` or `..`. */
export function pathSegmentName(name: string, prefix = false): Messages {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  const bad = ["/", "%"].filter((part) => name.includes(part));
  return bad.length === 0 ? valid : bad.map((part) => `may not contain '${part}'`);
}

/** Why a text cannot stand in a path, in the words of upstream's clients; undefined where it can. */
export function pathSegmentFault(what: string, text: string): string | undefined {
  const faults = pathSegmentName(text);
  return faults.length > 0 ? `invalid ${what} ${quote(text)}: [${faults.join(" ")}]` : undefined;
}

/** Why nobody can ask for an object of this name; undefined where one can. */
export const resourceNameFault = (name: string): string | undefined =>
  name === "" ? "resource name may not be empty" : pathSegmentFault("resource name", name);

/** The name of an object that is a DNS subdomain; a prefix of one may end in a dash. */
export function nameIsDnsSubdomain(name: string, prefix = false): Messages {
  return isDns1123Subdomain(prefix ? maskTrailingDash(name) : name);
}

/** The name of an object of a kind that does not look at the prefix of one, but at what became of it. */
export function nameIsLongName(name: string, prefix = false): Messages {
  return prefix ? valid : isLongName(name);
}

/** The name of an object that is a DNS label; a prefix of one may end in a dash. */
export function nameIsDnsLabel(name: string, prefix = false): Messages {
  return isDns1123Label(prefix ? maskTrailingDash(name) : name);
}

/** The name of an object that is a label of old; a prefix of one may end in a dash. */
export function nameIsDns1035Label(name: string, prefix = false): Messages {
  return isDns1035Label(prefix ? maskTrailingDash(name) : name);
}

/** A domain of three labels or more. */
export function isFullyQualifiedName(name: string): readonly NameFault[] {
  if (name === "") return [required()];
  const messages = isDns1123Subdomain(name);
  if (messages.length > 0) return [invalid(name, messages.join(","))];
  if (name.split(".").length >= 3) return [];
  return [invalid(name, "should be a domain with at least three segments separated by dots")];
}

/** A domain of two labels or more, each of them short enough; a last dot is allowed. */
export function isFullyQualifiedDomainName(name: string): readonly NameFault[] {
  if (name === "") return [required()];
  const domain = name.endsWith(".") ? name.slice(0, -1) : name;
  const messages = isDns1123Subdomain(domain);
  if (messages.length > 0) return [invalid(domain, messages.join(","))];
  const labels = domain.split(".");
  if (labels.length < 2) {
    return [invalid(domain, "should be a domain with at least two segments separated by dots")];
  }
  for (const part of labels) {
    const ofPart = isDns1123Label(part);
    if (ofPart.length > 0) return [invalid(part, ofPart.join(","))];
  }
  return [];
}

/** A domain, a slash and a path (`acme.io/foo`). */
export function isDomainPrefixedPath(path: string): readonly NameFault[] {
  if (path === "") return [required()];
  const slash = path.indexOf("/");
  if (slash <= 0 || slash === path.length - 1) {
    return [invalid(path, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = path.slice(0, slash);
  const rest = path.slice(slash + 1);
  const faults = isDns1123Subdomain(host).map((message) => invalid(host, message));
  if (!httpPathRe.test(rest)) faults.push(invalid(rest, regexError("Invalid path", httpPath, [])));
  return faults;
}

/** A label key whose prefix is not optional (`acme.io/foo`). */
export function isDomainPrefixedKey(key: string): readonly NameFault[] {
  if (key === "") return [required()];
  const faults = isQualifiedName(key).map((message) => invalid(key, message));
  if (faults.length > 0 || key.includes("/")) return faults;
  return [invalid(key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

/** The text for a value that a regular expression does not match, with examples of what it does. */
export function regexError(text: string, regex: string, examples: readonly string[]): string {
  if (examples.length === 0) return `${text} (regex used for validation is '${regex}')`;
  const list = examples.map((example) => `'${example}', `).join(" or ");
  return `${text} (e.g. ${list}regex used for validation is '${regex}')`;
}

function whole(regex: string): RegExp {
  return new RegExp(`^${regex}$`);
}

function dnsLabel(value: string, unit: "bytes" | "characters"): Messages {
  if (labelRe.test(value)) return findings(value, 63, unit, "");
  const text = subdomainRe.test(value) ? "must not contain dots" : labelText;
  return findings(value, 63, unit, text);
}

function keyName(name: string): Messages {
  const messages: string[] = [];
  if (name === "") messages.push("name part must be non-empty");
  else if (longer(name, 63)) messages.push(`name part ${maxLenError(63, "bytes")}`);
  if (!labelKeyRe.test(name)) messages.push(`name part ${labelKeyText}`);
  return messages.length === 0 ? valid : messages;
}

function findings(
  value: string,
  max: number,
  unit: "bytes" | "characters",
  text: string,
): Messages {
  if (!longer(value, max)) return text === "" ? valid : [text];
  return text === "" ? [maxLenError(max, unit)] : [maxLenError(max, unit), text];
}

function maxLenError(max: number, unit: "bytes" | "characters"): string {
  return `must be no more than ${max} ${unit}`;
}

/** Whether a string takes more than `max` bytes of UTF-8, whatever a message calls them. */
function longer(value: string, max: number): boolean {
  if (value.length > max) return true;
  if (value.length * 3 <= max) return false;
  let bytes = value.length;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    // A surrogate pair takes four bytes: two for each of its halves.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes > max;
}

function withDotsCheck(value: string, messages: Messages): Messages {
  if (!value.startsWith(".")) return messages;
  if (value === "." || value === "..") return [...messages, `must not be '${value}'`];
  return value.startsWith("..") ? [...messages, "must not start with '..'"] : messages;
}

/** The letter stands for the last two characters, so that "a-" counts as one that is valid. */
function maskTrailingDash(name: string): string {
  if (name.length < 2 || !name.endsWith("-") || name.charCodeAt(name.length - 2) > 0x7f) {
    return name;
  }
  return `${name.slice(0, -2)}a`;
}

function required(): NameFault {
  return { type: "Required", value: "", detail: "" };
}

function invalid(value: string, detail: string): NameFault {
  return { type: "Invalid", value, detail };
}
