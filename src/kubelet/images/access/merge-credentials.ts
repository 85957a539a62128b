import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import {
  type CredentialOwner,
  credentialHash,
  type ImageCredential,
} from "../../pod/container/image-credential.ts";
import type {
  ImagePullCredentials,
  ImagePullSecret,
  ImagePullServiceAccount,
} from "./pull-records.ts";

/** What is recorded of the credentials of a pull; without any, and with those of the node, all of its pods may use the image. */
export function pullCredentials(credential: ImageCredential | undefined): ImagePullCredentials {
  const { auth, source } = credential ?? {};
  if (!auth || !source) return { nodePodsAccessible: true };
  return source.kind === "Secret"
    ? { kubernetesSecrets: [pullSecretRecord(auth, source.owner)] }
    : { kubernetesServiceAccounts: [source.owner] };
}

export const pullSecretRecord = (
  auth: ImageCredential["auth"],
  owner: CredentialOwner,
): ImagePullSecret => ({ ...owner, credentialHash: credentialHash(auth) });

/** Recorded credentials with those of another pull; the same object if they are known already. */
export function mergeCredentials(
  recorded: ImagePullCredentials | undefined,
  added: ImagePullCredentials,
): ImagePullCredentials {
  if (!recorded) return added;
  if (recorded.nodePodsAccessible) return recorded;
  if (added.nodePodsAccessible) return { nodePodsAccessible: true };
  const { kubernetesSecrets: secrets = [], kubernetesServiceAccounts: accounts = [] } = added;
  const known = recorded.kubernetesSecrets ?? [];
  if (secrets.some((secret) => !known.some((other) => isSameSecret(secret, other)))) {
    const others = known.filter((one) => !secrets.some((other) => isSameOwner(one, other)));
    return { ...recorded, kubernetesSecrets: [...others, ...secrets].sort(byOwner) };
  }
  const knownAccounts = recorded.kubernetesServiceAccounts ?? [];
  const fresh = accounts.filter((one) => !knownAccounts.some((other) => isSameOwner(one, other)));
  if (fresh.length === 0) return recorded;
  return { ...recorded, kubernetesServiceAccounts: [...knownAccounts, ...fresh].sort(byOwner) };
}

export const isSameOwner = (a: ImagePullServiceAccount, b: ImagePullServiceAccount): boolean =>
  a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;

const isSameSecret = (a: ImagePullSecret, b: ImagePullSecret): boolean =>
  isSameOwner(a, b) && a.credentialHash === b.credentialHash;

const byOwner = (a: ImagePullServiceAccount, b: ImagePullServiceAccount): number =>
  compareUtf8(a.namespace, b.namespace) || compareUtf8(a.name, b.name) || compareUtf8(a.uid, b.uid);
