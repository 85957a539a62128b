import type { ExtKeyUsage, KeyUsage } from "../../base/cryptography/certificate-signer.ts";

/** The usages of a certificate, by the names of the API. */
export interface CertificateUsages {
  readonly keyUsage: readonly KeyUsage[];
  readonly extKeyUsage: readonly ExtKeyUsage[];
}

const keyUsages: Readonly<Record<string, KeyUsage>> = {
  signing: "digitalSignature",
  "digital signature": "digitalSignature",
  "content commitment": "contentCommitment",
  "key encipherment": "keyEncipherment",
  "key agreement": "keyAgreement",
  "data encipherment": "dataEncipherment",
  "cert sign": "keyCertSign",
  "crl sign": "cRLSign",
  "encipher only": "encipherOnly",
  "decipher only": "decipherOnly",
};

/** In the order in which certificates list them. */
const extKeyUsages: Readonly<Record<string, ExtKeyUsage>> = {
  any: "any",
  "server auth": "serverAuth",
  "client auth": "clientAuth",
  "code signing": "codeSigning",
  "email protection": "emailProtection",
  "s/mime": "emailProtection",
  "ipsec end system": "ipsecEndSystem",
  "ipsec tunnel": "ipsecTunnel",
  "ipsec user": "ipsecUser",
  timestamping: "timeStamping",
  "ocsp signing": "ocspSigning",
  "microsoft sgc": "microsoftSgc",
  "netscape sgc": "netscapeSgc",
};

/** Translates the usages of a request. */
export function certificateUsages(usages: readonly string[]): CertificateUsages {
  const unknown = usages.filter(
    (usage) => !Object.hasOwn(keyUsages, usage) && !Object.hasOwn(extKeyUsages, usage),
  );
  if (unknown.length > 0)
    throw new Error(
      `unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`,
    );
  return { keyUsage: chosen(keyUsages, usages), extKeyUsage: chosen(extKeyUsages, usages) };
}

const chosen = <U>(known: Readonly<Record<string, U>>, usages: readonly string[]): U[] => [
  ...new Set(
    Object.entries(known)
      .filter(([usage]) => usages.includes(usage))
      .map(([, name]) => name),
  ),
];
