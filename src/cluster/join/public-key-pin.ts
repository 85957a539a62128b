import { createHash, X509Certificate } from "node:crypto";

/** The hash of a certificate's public key, as kubeadm writes it: `sha256:HEX`. */
export function publicKeyPin(certificate: string): string {
  const { publicKey } = new X509Certificate(certificate);
  const info = publicKey.export({ type: "spki", format: "der" });
  return `${format}:${createHash("sha256").update(info).digest("hex")}`;
}

/** The hashes of all certificates in a PEM text. */
export const publicKeyPins = (pem: string): string[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []).map(
    publicKeyPin,
  );

/** What is wrong with a hash; undefined if it is valid. */
export function pinProblem(pin: string): string | undefined {
  const [name = "", value, ...more] = pin.split(":");
  if (value === undefined || more.length > 0)
    return `invalid hash, expected "format:hex-value". Known format(s) are: ${format}`;
  if (name.toLowerCase() !== format)
    return `unknown hash format "${name}". Known format(s) are: ${format}`;
  if (Math.floor(value.length / 2) !== 32)
    return `invalid hash "${pin}", expected a 32 byte SHA-256 hash, found ${Math.floor(value.length / 2)} bytes`;
  return /^[0-9a-f]{64}$/i.test(value)
    ? undefined
    : `invalid hash "${pin}", could not decode SHA-256 from hex`;
}

const format = "sha256";
