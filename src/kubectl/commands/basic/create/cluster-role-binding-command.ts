import { stringFlag } from "../../../../cli/flag.ts";
import { bindingMembers, subjectFlags } from "./binding-subjects.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createClusterRoleBindingCommand = createObjectCommand({
  command: {
    name: "clusterrolebinding",
    usage:
      "NAME --clusterrole=NAME [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
    short: "Create a cluster role binding for a particular cluster role",
    long: "Create a binding of a cluster role, for all of the cluster.",
    examples:
      "# Bind the cluster role cluster-admin to two users and a group\nkubectl create clusterrolebinding cluster-admin --clusterrole=cluster-admin --user=user1 --user=user2 --group=group1",
    requiredFlags: ["clusterrole"],
  },
  flags: {
    clusterrole: stringFlag({ usage: "The cluster role" }),
    ...subjectFlags,
  },
  kind: {
    group: "rbac.authorization.k8s.io",
    version: "v1",
    kind: "ClusterRoleBinding",
    plural: "clusterrolebindings",
    scope: "Cluster",
  },
  failure: () => "failed to create clusterrolebinding: ",
  generate: ({ name, flags }) =>
    newObject(
      "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
      { name },
      bindingMembers(flags, { kind: "ClusterRole", name: flags.clusterrole }),
    ),
});
