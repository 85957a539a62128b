import type { Column } from "../../../schema/language/kind.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import type { RoleRef } from "./role-ref.ts";
import type { Subject } from "./subject.ts";

interface Binding {
  readonly metadata: ObjectMeta;
  readonly roleRef: RoleRef;
  readonly subjects?: readonly Subject[] | undefined;
}

/** The columns of bindings; the descriptions name the kind of binding. */
export const bindingColumns = (
  kind: "roleBinding" | "clusterRoleBinding",
  roleDescription: string,
): readonly Column<Binding>[] => [
  nameColumn,
  {
    name: "Role",
    type: "string",
    description: roleDescription,
    cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
  },
  ageColumn,
  {
    name: "Users",
    type: "string",
    wide: true,
    description: `Users in the ${kind}`,
    cell: ({ subjects }) => namesOf(subjects, "User").join(", "),
  },
  {
    name: "Groups",
    type: "string",
    wide: true,
    description: `Groups in the ${kind}`,
    cell: ({ subjects }) => namesOf(subjects, "Group").join(", "),
  },
  {
    name: "ServiceAccounts",
    type: "string",
    wide: true,
    description: `ServiceAccounts in the ${kind}`,
    cell: ({ subjects }) => namesOf(subjects, "ServiceAccount").join(", "),
  },
];

const namesOf = (subjects: readonly Subject[] | undefined, kind: string): readonly string[] =>
  (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) => (kind === "ServiceAccount" ? `${namespace}/${name}` : name));
