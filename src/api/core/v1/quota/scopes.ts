import {
  compileRequirement,
  type LabelOperator,
  labelRequirement,
} from "../../../../schema/selectors/label-selector-requirement.ts";
import { quote } from "../../../../schema/values/quote.ts";
import type {
  ResourceQuotaSpec,
  ScopedResourceSelectorRequirement,
} from "./resource-quota-spec.ts";

/** One condition on the scope of an object. */
export type ScopeRequirement = ScopedResourceSelectorRequirement;

/** All conditions on what counts for a quota. */
export const scopesOf = ({
  scopes = [],
  scopeSelector,
}: Pick<ResourceQuotaSpec, "scopes" | "scopeSelector">): readonly ScopeRequirement[] => [
  ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" })),
  ...(scopeSelector?.matchExpressions ?? []),
];

/** Whether a name, or that there is none, is as required; throws where nothing could be. */
export function isNameInScope(
  { scopeName, operator, values = [] }: ScopeRequirement,
  name: string | undefined,
): boolean {
  if (operator === "Exists") return !!name;
  const known = operators[operator];
  if (!known) throw new SyntaxError(`${quote(operator)} is not a valid scope selector operator`);
  const matches = compileRequirement(labelRequirement(scopeName, known, values));
  return matches(name ? { [scopeName]: name } : {});
}

const operators: Readonly<Record<string, LabelOperator | undefined>> = {
  In: "in",
  NotIn: "notin",
  DoesNotExist: "!",
};

/** A condition as upstream prints it. */
export const formatScope = ({ scopeName, operator, values = [] }: ScopeRequirement): string =>
  `{${scopeName} ${operator} [${values.join(" ")}]}`;
