import { stringArrayFlag, type Values } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import type { Info } from "../../../resource/info.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";
import { patchObjects } from "./patch-objects.ts";
import { checkLocal, findTyped, localAndServer, setFlags } from "./set-flags.ts";

const subjectFlags = {
  user: stringArrayFlag({ usage: "Usernames to bind to the role" }),
  group: stringArrayFlag({ usage: "Groups to bind to the role" }),
  serviceaccount: stringArrayFlag({ usage: "Service accounts to bind to the role" }),
};

export const setSubjectCommand = kubectlCommand({
  name: "subject",
  usage:
    "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname] [--dry-run=server|client|none]",
  short: "Update the user, group, or service account in a role binding or cluster role binding",
  long: "Add users, groups or service accounts to a role binding or a cluster role binding.",
  examples: `# Add a service account to a cluster role binding
kubectl set subject clusterrolebinding admin --serviceaccount=namespace:serviceaccount1

# Add users and a group to a role binding
kubectl set subject rolebinding admin --user=user1 --user=user2 --group=group1

# Print what a change would be, without a server
kubectl create rolebinding admin --role=admin --user=admin -o yaml --dry-run=client | kubectl set subject --local -f - --user=foo -o yaml`,
  flags: {
    ...setFlags("the resource to update the subjects", "subject"),
    ...labelSelectorFlags,
    ...subjectFlags,
  },
  async run(context) {
    const { flags, args, factory } = context;
    const dryRun = dryRunOf(context);
    objectPrinter(context);
    checkLocal(flags, args);
    const infos = await findTyped(context, flags, { args });
    if (flags.local && dryRun === "server") throw new Error(localAndServer);
    if (flags.all && flags.selector !== "")
      throw new Error("cannot set --all and --selector at the same time");
    checkSubjects(flags, infos);
    const { namespace } = await factory.namespace();
    const subjects = subjectsOf(flags, namespace);
    return patchObjects(context, infos, {
      operation: "subjects updated",
      dryRun,
      failure: "failed to patch subjects to rolebinding: ",
      errors: [],
      change: (object) => withSubjects(object, subjects),
    });
  },
});

interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

function checkSubjects(
  { user, group, serviceaccount }: Values<typeof subjectFlags>,
  infos: readonly Info[],
): void {
  if (user.length === 0 && group.length === 0 && serviceaccount.length === 0)
    throw new Error("you must specify at least one value of user, group or serviceaccount");
  const hasClusterRole = infos.some(({ object }) => object?.kind === "ClusterRoleBinding");
  for (const account of serviceaccount) {
    const [namespace = "", name = "", ...more] = account.split(":");
    if (name === "" || more.length > 0)
      throw new Error("serviceaccount must be <namespace>:<name>");
    if (hasClusterRole && namespace === "")
      throw new Error("serviceaccount must be <namespace>:<name>, namespace must be specified");
  }
}

function subjectsOf(
  { user, group, serviceaccount }: Values<typeof subjectFlags>,
  namespace: string,
): readonly Subject[] {
  const distinct = (names: readonly string[]): readonly string[] =>
    sortedKeys(Object.fromEntries(names.map((name) => [name, true])));
  const apiGroup = "rbac.authorization.k8s.io";
  return [
    ...distinct(user).map((name) => ({ kind: "User", apiGroup, name })),
    ...distinct(group).map((name) => ({ kind: "Group", apiGroup, name })),
    ...distinct(serviceaccount).map((account) => {
      const [from = "", name = ""] = account.split(":");
      return { kind: "ServiceAccount", name, namespace: from || namespace };
    }),
  ];
}

/** The binding with these subjects, too; undefined if it has all of them. */
function withSubjects(
  object: DynamicObject,
  subjects: readonly Subject[],
): DynamicObject | undefined {
  if (object.kind !== "RoleBinding" && object.kind !== "ClusterRoleBinding")
    throw new Error("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
  const existing = (object.subjects ?? []) as readonly Subject[];
  const added = subjects.filter((one) => !existing.some((other) => isSame(one, other)));
  if (added.length === 0) return undefined;
  return { ...object, subjects: [...existing, ...added] };
}

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  (a.apiGroup ?? "") === (b.apiGroup ?? "") &&
  a.name === b.name &&
  (a.namespace ?? "") === (b.namespace ?? "");
