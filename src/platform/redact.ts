import { errorMessage } from "../base/error-message.ts";

/** Removes credentials from a value before it is logged, at any depth of objects. */
export function redact(value: unknown): unknown {
  return redactValue(value, new Set());
}

/** Removes credentials from a text: values after `Bearer` or `Basic`, and private keys. */
export function redactText(text: string): string {
  if (!suspect.test(text)) return text;
  return text.replaceAll(credentialHeader, `$1 ${redacted}`).replaceAll(privateKey, redacted);
}

const redacted = "[redacted]";
const suspect = /bearer|basic|PRIVATE KEY/i;
const credentialHeader = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;
const privateKey =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/**
 * Names of fields that hold credentials, in lower case without punctuation. A plain `key` is not one:
 * it names an object.
 */
const credentialName =
  /(?:token|password|passwd|passphrase|authorization|cookie|credentials?|clientsecret|secretdata|privatekey|keydata|keypem)$/;

/** Deeper values are replaced by `[…]`. */
const maxDepth = 8;

function redactValue(value: unknown, above: ReadonlySet<object>): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.has(value) || above.size >= maxDepth) return "[…]";
  if (value instanceof Error) return redactText(errorMessage(value));
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  const path = new Set(above).add(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, path));
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return Object.fromEntries(
    entries.map(([name, member]) => [
      name,
      credentialName.test(plainName(name)) ? redacted : redactValue(member, path),
    ]),
  );
}

function plainName(name: unknown): string {
  return String(name)
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "");
}
