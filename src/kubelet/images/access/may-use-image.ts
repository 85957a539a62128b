import type { ImageCredential } from "../../pod/container/image-credential.ts";
import { isSameOwner, pullSecretRecord } from "./merge-credentials.ts";
import type { ImagePullCredentials, ImagePullSecret } from "./pull-records.ts";

/** Whether a pod may use an image without pulling it. */
export interface ImageUse {
  readonly mayUse: boolean;
  /** A secret that has become known by this: a copy of one that has pulled the image, or a newer version of it. */
  readonly learned?: ImagePullSecret | undefined;
}

/** Whether recorded credentials let every pod use an image; undefined if that depends on the pod's credentials. */
export function mayAnyPodUse(recorded: ImagePullCredentials | undefined): boolean | undefined {
  if (!recorded) return false;
  const { nodePodsAccessible, kubernetesSecrets = [], kubernetesServiceAccounts = [] } = recorded;
  if (nodePodsAccessible) return true;
  return kubernetesSecrets.length + kubernetesServiceAccounts.length === 0 ? false : undefined;
}

/**
 * Compares the credentials of a pod with those that have pulled an image. A secret counts by its content, or by its
 * coordinates, because it was replaced to renew it; of service accounts the first counts.
 */
export function mayUseImage(
  recorded: ImagePullCredentials,
  credentials: readonly ImageCredential[],
): ImageUse {
  const { kubernetesSecrets: secrets = [], kubernetesServiceAccounts: accounts = [] } = recorded;
  const canLearn = secrets.length < mostLearned;
  for (const { auth, source } of credentials) {
    if (source?.kind !== "Secret") continue;
    const secret = pullSecretRecord(auth, source.owner);
    for (const known of secrets) {
      const hasSameContent = known.credentialHash === secret.credentialHash;
      const isSame = isSameOwner(known, secret);
      if (hasSameContent && (isSame || !canLearn)) return { mayUse: true };
      if (hasSameContent || (isSame && canLearn)) return { mayUse: true, learned: secret };
    }
  }
  const account = credentials.find(({ source }) => source?.kind === "ServiceAccount")?.source;
  return { mayUse: accounts.some((known) => account && isSameOwner(known, account.owner)) };
}

/** So many secrets of an image are recorded without a pull, so that many namespaces cost no end of writes. */
const mostLearned = 100;
