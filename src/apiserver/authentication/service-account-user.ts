import type { User } from "../request/identity.ts";
import type { ServiceAccountClaims } from "./service-account-claims.ts";

/** The name of the user that a service account is. */
export const serviceAccountUserName = (namespace: string, name: string): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** The user that a token of a service account stands for, with what it says of where it is used. */
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
  if (id !== "") add("credential-id", `JTI=${id}`);
  if (node && node.name !== "") {
    add("node-name", node.name);
    add("node-uid", node.uid);
  }
  return {
    name: serviceAccountUserName(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
