import { stringArrayFlag, type Values } from "../../../../cli/flag.ts";

/** The flags that say to whom a role is bound. */
export const subjectFlags = {
  user: stringArrayFlag({ usage: "A user to bind the role to; may be repeated." }),
  group: stringArrayFlag({ usage: "A group to bind the role to; may be repeated." }),
  serviceaccount: stringArrayFlag({
    usage: "A service account to bind the role to, as <namespace>:<name>; may be repeated.",
  }),
};

/** The members of a binding that say to whom it binds what. */
export function bindingMembers(
  flags: Values<typeof subjectFlags>,
  role: { readonly kind: string; readonly name: string },
): object {
  const apiGroup = "rbac.authorization.k8s.io";
  const subjects = [
    ...flags.user.map((name) => ({ kind: "User", apiGroup, name })),
    ...flags.group.map((name) => ({ kind: "Group", apiGroup, name })),
    ...flags.serviceaccount.map(serviceAccount),
  ];
  return {
    ...(subjects.length > 0 && { subjects }),
    roleRef: { apiGroup, kind: role.kind, name: role.name },
  };
}

function serviceAccount(text: string): object {
  const [namespace, name, ...more] = text.split(":");
  if (!namespace || !name || more.length > 0)
    throw new Error("serviceaccount must be <namespace>:<name>");
  return { kind: "ServiceAccount", name, namespace };
}
