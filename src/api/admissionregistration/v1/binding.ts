import type { Column } from "../../../schema/language/kind.ts";
import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { type MatchResources, validateMatchResources } from "./match-resources.ts";
import { type ParamRef, paramRefCell, validateParamRef } from "./param.ts";
import type { Registered } from "./registration.ts";

/** What bindings of both kinds of policies say. */
export interface BindingSubject {
  readonly policyName?: string | undefined;
  readonly paramRef?: ParamRef | undefined;
  readonly matchResources?: MatchResources | undefined;
}

/** The rules of what is bound, and of where it holds. */
export function validateBindingSubject(
  { policyName = "", paramRef, matchResources }: BindingSubject,
  at: At,
): void {
  if (policyName === "") at.required("policyName");
  else at.invalidEach("policyName", policyName, nameIsDnsSubdomain(policyName));
  if (paramRef) validateParamRef(paramRef, at.child("paramRef"));
  if (matchResources) validateMatchResources(matchResources, at.child("matchResources"));
}

export const bindingColumns: readonly Column<Registered<BindingSubject>>[] = [
  nameColumn,
  {
    name: "PolicyName",
    type: "string",
    description: "PolicyName indicates the policy definition which the policy binding binded to",
    cell: ({ spec }) => spec.policyName ?? "",
  },
  {
    name: "ParamRef",
    type: "string",
    description: "ParamRef indicates the param resource which sets the configuration param",
    cell: ({ spec }) => paramRefCell(spec.paramRef),
  },
  ageColumn,
];
