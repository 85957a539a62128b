/** A certificate and its key for some names, as `--tls-sni-cert-key` has them. */
export interface NamedCertificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** If empty, the names in the certificate. */
  readonly names: readonly string[];
}

/** Reads `cert,key` or `cert,key:name,…`. */
export function readNamedCertificate(text: string): NamedCertificate {
  const colon = text.indexOf(":");
  const files = (colon < 0 ? text : text.slice(0, colon)).trim().split(",");
  const names = colon < 0 ? undefined : text.slice(colon + 1).trim();
  if (names === "") throw new Error("empty names list is not allowed");
  const [certFile, keyFile, ...more] = files.map((file) => file.trim());
  if (certFile === undefined || keyFile === undefined || more.length > 0)
    throw new Error("expected comma separated certificate and key file paths");
  return { certFile, keyFile, names: names?.split(",").map((name) => name.trim()) ?? [] };
}
