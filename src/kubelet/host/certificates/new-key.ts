import { generateKeyPairSync, type KeyObject } from "node:crypto";

/** A new private key for a certificate of a kubelet. */
export const newKey = (): KeyObject =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** A private key as PEM, in the form that kubelets store. */
export const keyPem = (key: KeyObject): string =>
  key.export({ type: "sec1", format: "pem" }).toString();
