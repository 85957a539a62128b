import { decodeBase64 } from "../../../base/base64.ts";

/**
 * Why a certificate and its key cannot be used together, in Go's words, as far as their PEM form
 * tells; the certificate itself is not read.
 */
export function tlsPairFault(certificate: Uint8Array, key: Uint8Array): string | undefined {
  const certificates = pemTypes(certificate);
  if (!certificates.includes("CERTIFICATE")) return certificateFault(certificates);
  const keys = pemTypes(key);
  return keys.some(isKey) ? undefined : keyFault(keys);
}

function certificateFault(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (skipped.length === 1 && skipped[0]?.endsWith("PRIVATE KEY"))
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${skipped.join(" ")}]`;
}

function keyFault(skipped: readonly string[]): string {
  if (skipped.length === 0) return "tls: failed to find any PEM data in key input";
  if (skipped.length === 1 && skipped[0] === "CERTIFICATE")
    return "tls: found a certificate rather than a key in the PEM for the private key";
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${skipped.join(" ")}]`;
}

const isKey = (type: string): boolean => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");

const block = /^-----BEGIN ([^\n]*?)-----[ \t\r]*\n([^-]*)-----END \1-----[ \t\r]*$/gm;

/** The types of the PEM blocks in a text, without those that are broken. */
function pemTypes(bytes: Uint8Array): readonly string[] {
  const text = new TextDecoder().decode(bytes);
  return [...text.matchAll(block)].flatMap(([, type = "", body = ""]) =>
    isBase64(bodyWithoutHeaders(body)) ? [type] : [],
  );
}

const bodyWithoutHeaders = (body: string): string =>
  body.replace(/^(?:[^\n:]*:[^\n]*\n)+/, "").replaceAll(/\s/g, "");

function isBase64(text: string): boolean {
  try {
    decodeBase64(text);
    return true;
  } catch {
    return false;
  }
}
