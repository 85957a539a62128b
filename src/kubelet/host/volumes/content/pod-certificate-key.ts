import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { pemBlocks } from "../../../../api/certificates/x509/pem.ts";
import { certificateRequest } from "../../../../platform/pki/certificate-request.ts";

/** A new private key of a pod, and the request that proves that its owner has it. */
export interface PodCertificateKey {
  /** PKCS #8 as PEM. */
  readonly pem: string;
  /** A request (PKCS #10) without names: base64 of DER. */
  readonly request: string;
}

/** Makes a private key of a type that podCertificate projections name. */
export async function newPodKey(keyType: string): Promise<PodCertificateKey> {
  const make = makers[keyType];
  if (!make)
    throw new Error(`while generating keypair: unknown key type ${JSON.stringify(keyType)}`);
  const { privateKey: key } = await make();
  const subject = { commonName: "", organizations: [] };
  const [request] = pemBlocks(certificateRequest({ subject, key }));
  return {
    pem: key.export({ type: "pkcs8", format: "pem" }).toString(),
    request: Buffer.from(request?.bytes ?? []).toString("base64"),
  };
}

type MakeKey = () => Promise<{ readonly privateKey: KeyObject }>;

const generate = promisify(generateKeyPair);
const rsa = (modulusLength: number) => () => generate("rsa", { modulusLength });
const ecdsa = (namedCurve: string) => () => generate("ec", { namedCurve });

const makers: Readonly<Record<string, MakeKey>> = {
  RSA3072: rsa(3072),
  RSA4096: rsa(4096),
  ECDSAP256: ecdsa("P-256"),
  ECDSAP384: ecdsa("P-384"),
  ECDSAP521: ecdsa("P-521"),
  ED25519: () => generate("ed25519"),
};
