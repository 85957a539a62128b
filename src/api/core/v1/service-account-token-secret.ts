import type { ServiceAccount } from "./service-account.ts";

/** The type of secrets that hold a token of a service account, one that does not end. */
export const serviceAccountTokenKind = "kubernetes.io/service-account-token";

/** Who issues such tokens, whatever issuer the cluster has for others. */
export const legacyIssuer = "kubernetes/serviceaccount";

/** The names of what such a token says. */
export const legacyClaimNames = {
  namespace: "kubernetes.io/serviceaccount/namespace",
  secretName: "kubernetes.io/serviceaccount/secret.name",
  accountName: "kubernetes.io/serviceaccount/service-account.name",
  accountUid: "kubernetes.io/serviceaccount/service-account.uid",
} as const;

/** What the token of an account in a secret says. */
export function legacyClaims({ metadata }: ServiceAccount, secretName: string): object {
  const { namespace = "", name = "", uid = "" } = metadata;
  return {
    iss: legacyIssuer,
    [legacyClaimNames.namespace]: namespace,
    [legacyClaimNames.secretName]: secretName,
    [legacyClaimNames.accountName]: name,
    [legacyClaimNames.accountUid]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}
