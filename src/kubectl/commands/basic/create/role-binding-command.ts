import { stringFlag } from "../../../../cli/flag.ts";
import { bindingMembers, subjectFlags } from "./binding-subjects.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createRoleBindingCommand = createObjectCommand({
  command: {
    name: "rolebinding",
    usage:
      "NAME --clusterrole=NAME|--role=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    short: "Create a role binding for a particular role or cluster role",
    long: "Create a binding of a role or of a cluster role, for one namespace.",
    examples: `# Bind the cluster role admin to two users and a group
kubectl create rolebinding admin --clusterrole=admin --user=user1 --user=user2 --group=group1

# Bind a role to a service account
kubectl create rolebinding admin-binding --role=admin --serviceaccount=monitoring:sa-dev`,
  },
  flags: {
    clusterrole: stringFlag({ usage: "The cluster role" }),
    role: stringFlag({ usage: "The role" }),
    ...subjectFlags,
  },
  kind: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "RoleBinding",
    plural: "rolebindings",
    scope: "Namespaced",
  },
  failure: () => "failed to create rolebinding: ",
  needsName: true,
  generate({ name, namespace, flags }) {
    const { role, clusterrole } = flags;
    if ((role === "") === (clusterrole === ""))
      throw new Error("exactly one of clusterrole or role must be specified");
    const bound =
      role === "" ? { kind: "ClusterRole", name: clusterrole } : { kind: "Role", name: role };
    return newObject(
      "rbac.authorization.k8s.io/v1 RoleBinding",
      { name, namespace },
      bindingMembers(flags, bound),
    );
  },
});
