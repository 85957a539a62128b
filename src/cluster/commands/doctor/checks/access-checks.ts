import type { ClusterRoleBinding } from "../../../../api/rbac/v1/cluster-role-binding.ts";
import type { RoleBinding } from "../../../../api/rbac/v1/role-binding.ts";
import type { Check, Facts } from "./check.ts";

type Binding = ClusterRoleBinding | RoleBinding;
type BoundSubject = NonNullable<Binding["subjects"]>[number];

const nameOf = ({ metadata: { namespace = "", name = "" } }: Binding): string =>
  namespace === "" ? name : `${namespace}/${name}`;

const allBindings = ({ clusterRoleBindings, roleBindings }: Facts): Binding[] | undefined =>
  clusterRoleBindings && roleBindings && [...clusterRoleBindings, ...roleBindings];

/** Findings for each subject of a binding that is meant. */
const findSubjects = (
  bindings: readonly Binding[] | undefined,
  isMeant: (subject: BoundSubject, binding: Binding) => boolean,
): readonly string[] | undefined =>
  bindings?.flatMap((binding) =>
    (binding.subjects ?? [])
      .filter((subject) => isMeant(subject, binding))
      .map(
        ({ kind, name }) =>
          `${nameOf(binding)} gives the role ${binding.roleRef.name} to ${kind} ${name}`,
      ),
  );

/** What a new cluster gives to everybody: health, versions, discovery, and the address of the cluster. */
const harmless: ReadonlySet<string> = new Set([
  "system:public-info-viewer",
  "system:discovery",
  "system:basic-user",
  "kubeadm:bootstrap-signer-clusterinfo",
  "wherry:bootstrap-signer-clusterinfo",
]);

const anonymous: ReadonlySet<string> = new Set(["system:anonymous", "system:unauthenticated"]);

/** Checks of who may do what. */
export const accessChecks: readonly Check[] = [
  {
    id: "anonymous-rights",
    title: "Anonymous users have no rights beyond health and versions",
    why: "Anybody who reaches the server has these rights, without a credential.",
    fix: "Delete the binding, or remove the subject from it.",
    severity: "fault",
    look: (facts) =>
      findSubjects(
        allBindings(facts),
        ({ name }, { roleRef }) => anonymous.has(name) && !harmless.has(roleRef.name),
      ),
  },
  {
    id: "authenticated-rights",
    title: "No strong role is given to all authenticated users",
    why: "Every service account, and so every pod, is an authenticated user.",
    fix: "Bind the role to the users and accounts that need it.",
    severity: "fault",
    look: (facts) =>
      findSubjects(
        allBindings(facts),
        ({ name }, { roleRef }) =>
          ["system:authenticated", "system:serviceaccounts"].includes(name) &&
          ["cluster-admin", "admin", "edit"].includes(roleRef.name),
      ),
  },
  {
    id: "cluster-admins",
    title: "No service account is an administrator of the cluster",
    why: "Whoever can create a pod in the account's namespace is an administrator, too.",
    fix: "Give the account a role with the rights that it uses.",
    severity: "advice",
    look: ({ clusterRoleBindings }) =>
      findSubjects(
        clusterRoleBindings,
        ({ kind }, { roleRef }) => kind === "ServiceAccount" && roleRef.name === "cluster-admin",
      ),
  },
  {
    id: "wildcard-roles",
    title: "Roles name the resources and verbs that they are for",
    why: "A role with * for everything also covers kinds that are installed later.",
    fix: "List the verbs, groups and resources that are used.",
    severity: "advice",
    look: ({ clusterRoles }) =>
      clusterRoles
        ?.filter(
          ({ metadata, rules }) =>
            metadata.labels?.["kubernetes.io/bootstrapping"] === undefined &&
            rules?.some(({ verbs, resources = [], apiGroups = [] }) =>
              [verbs, resources, apiGroups].every((values) => values.includes("*")),
            ),
        )
        .map(({ metadata }) => `the role ${metadata.name} allows everything`),
  },
];
