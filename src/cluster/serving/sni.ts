import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext, type TlsOptions } from "node:tls";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { certificateParts } from "../../platform/pki/x509-parts.ts";
import { parseIpSloppy } from "../../schema/values/ip.ts";
import { isDns1123Subdomain } from "../../schema/values/names.ts";

/** A certificate for clients that request one of its names. */
export interface NamedKeyPair extends KeyPair {
  /** If empty, the names in the certificate. */
  readonly names: readonly string[];
}

type Shared = Pick<TlsOptions, "ca" | "minVersion" | "ciphers" | "ecdhCurve">;

/**
 * Chooses the certificate by the server name that a client requests: given names win over names in
 * certificates, exact names over wildcards, earlier certificates over later ones. For other names, the
 * first certificate that is valid for the name is used, or else the default one.
 */
export function certificateByName(
  usual: KeyPair,
  named: readonly NamedKeyPair[],
  shared: Shared,
): NonNullable<TlsOptions["SNICallback"]> {
  const candidates = [usual, ...named].map(({ cert, key }) => {
    let context: SecureContext | undefined;
    return {
      certificate: new X509Certificate(cert),
      // Created on first use: a context takes a millisecond.
      context: () => {
        context ??= createSecureContext({ ...shared, cert, key });
        return context;
      },
    };
  });
  const [first, ...others] = candidates;
  if (first === undefined) throw new Error("there is no certificate");
  const byName = new Map<string, (typeof candidates)[number]>();
  for (const isGiven of [true, false])
    for (const [index, candidate] of others.entries())
      for (const name of namesOf(named[index]?.names ?? [], candidate.certificate, isGiven))
        if (!byName.has(name)) byName.set(name, candidate);
  return (serverName, done) => {
    const name = serverName.toLowerCase();
    const chosen =
      byName.get(name) ??
      byName.get(name.replace(/^[^.]*/, "*")) ??
      candidates.find(({ certificate }) => certificate.checkHost(name) !== undefined) ??
      first;
    done(null, chosen.context());
  };
}

function namesOf(
  given: readonly string[],
  certificate: X509Certificate,
  isGiven: boolean,
): readonly string[] {
  if (given.length > 0) return isGiven ? given.map((name) => name.toLowerCase()) : [];
  return isGiven ? [] : certificateNames(certificate);
}

/** The DNS names in a certificate; clients never request addresses as server names. */
function certificateNames({ raw, subjectAltName = "" }: X509Certificate): string[] {
  const { commonName } = certificateParts(raw).subject;
  const isName =
    parseIpSloppy(commonName) === undefined &&
    (commonName === "*" || isDns1123Subdomain(commonName.replace(/^\*\./, "")).length === 0);
  const dnsNames = subjectAltName
    .split(", ")
    .flatMap((entry) => (entry.startsWith("DNS:") ? [entry.slice(4)] : []));
  return [...(isName ? [commonName] : []), ...dnsNames].map((name) => name.toLowerCase());
}
