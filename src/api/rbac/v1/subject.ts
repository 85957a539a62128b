import { string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { rbacGroup } from "./role-ref.ts";

export const Subject = struct("io.k8s.api.rbac.v1.Subject", {
  kind: string(1).always().expected().doc("User, Group or ServiceAccount."),
  apiGroup: string(2).doc("The group of the kind; none for service accounts."),
  name: string(3).always().expected().doc("Its name."),
  namespace: string(4).doc("The namespace of a service account."),
})
  .atomic()
  .validatedElsewhere()
  .defaults((subject) => {
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group"))
      subject.apiGroup = rbacGroup;
  })
  .doc("Somebody who is given a role.");
export interface Subject extends Infer<typeof Subject> {}

/** The rules of a subject; in a binding without a namespace, service accounts must name theirs. */
export function validateSubject(subject: Subject, at: At, namespaced: boolean): void {
  const { kind, name, apiGroup = "", namespace = "" } = subject;
  if (name === "") at.required("name");
  if (kind === "ServiceAccount") {
    if (name !== "") at.invalidEach("name", name, nameIsDnsSubdomain(name));
    if (apiGroup !== "") at.notSupported("apiGroup", apiGroup, [""]);
    if (!namespaced && namespace === "") at.required("namespace");
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== rbacGroup) at.notSupported("apiGroup", apiGroup, [rbacGroup]);
  } else at.notSupported("kind", kind, ["ServiceAccount", "User", "Group"]);
}
