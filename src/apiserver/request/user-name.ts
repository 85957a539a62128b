import { nameIsDnsLabel, nameIsDnsSubdomain } from "../../schema/values/names.ts";

const accountPrefix = "system:serviceaccount:";
const nodePrefix = "system:node:";

/** The service account of a user name; undefined for other users. */
export function serviceAccountNamed(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(accountPrefix)) return undefined;
  const [namespace = "", name = "", ...more] = user.slice(accountPrefix.length).split(":");
  if (more.length > 0 || nameIsDnsLabel(namespace).length > 0) return undefined;
  return nameIsDnsSubdomain(name).length > 0 ? undefined : { namespace, name };
}

/** The node of a user name; undefined for other users. */
export function nodeNamed(user: string): string | undefined {
  if (!user.startsWith(nodePrefix)) return undefined;
  const name = user.slice(nodePrefix.length);
  return nameIsDnsSubdomain(name).length > 0 ? undefined : name;
}
