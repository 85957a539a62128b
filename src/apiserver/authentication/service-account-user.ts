import type { User } from "../request/identity.ts";
import type { ServiceAccountClaims } from "./service-account-claims.ts";

/** The user name of a service account. */
export const serviceAccountUserName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** The groups of all service accounts of a namespace. */
export const serviceAccountGroups = (namespace: string): readonly string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];

/** The user of a service account's token, with the pod and node it is bound to. */
export function serviceAccountUser(claims: ServiceAccountClaims): User {
  const { namespace, serviceAccount, pod, node, id } = claims;
  const extra: Record<string, readonly string[]> = {};
  const add = (name: string, value: string) => {
    if (value !== "") extra[`authentication.kubernetes.io/${name}`] = [value];
  };
  if (pod && pod.name !== "" && pod.uid !== "") {
    add("pod-name", pod.name);
    add("pod-uid", pod.uid);
  }
  if (id !== "") add("credential-id", credentialId(id));
  if (node && node.name !== "") {
    add("node-name", node.name);
    add("node-uid", node.uid);
  }
  return {
    name: serviceAccountUserName(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** How the id of a token is named in users and audit logs. */
export const credentialId = (id: string): string => `JTI=${id}`;
