import type {
  AccessSpec,
  FieldSelectorAttributes,
  LabelSelectorAttributes,
} from "../../api/authorization/v1/access-attributes.ts";
import type { FieldRequirement } from "../../schema/selectors/field-selector.ts";
import { labelSelector } from "../../schema/selectors/label-selector.ts";
import type { LabelRequirement } from "../../schema/selectors/label-selector-requirement.ts";
import type { User } from "../request/identity.ts";
import {
  type Attributes,
  parsedFields,
  parsedLabels,
  pathAttributes,
  resourceAttributes,
  type Selecting,
} from "./attributes.ts";

/** The attributes of the request that an access review asks about. */
export function reviewedAttributes(user: User, spec: AccessSpec): Attributes {
  const about = spec.resourceAttributes;
  if (!about) {
    const { path = "", verb = "" } = spec.nonResourceAttributes ?? {};
    return pathAttributes(user, verb, path);
  }
  const { namespace = "", group = "", resource = "", subresource = "", name = "" } = about;
  const { verb = "", version, fieldSelector, labelSelector: labels } = about;
  return resourceAttributes(user, verb, {
    namespace,
    group,
    resource,
    subresource,
    name,
    version: version || "*",
    ...(fieldSelector && { fieldSelector: fieldsAsked(fieldSelector) }),
    ...(labels && { labelSelector: labelsAsked(labels) }),
  });
}

/** The errors about selectors that were ignored. */
export function evaluationError({ fieldSelector, labelSelector: labels }: Attributes): string {
  const faults = Object.entries({ fieldSelector, labelSelector: labels }).map(
    ([name, selecting]) => {
      if (!selecting?.isPartial) return "";
      const much = selecting.requirements.length > 0 ? "partially ignored" : "ignored";
      return `spec.resourceAttributes.${name} ${much} due to parse error`;
    },
  );
  return faults.filter((fault) => fault !== "").join("; ");
}

function fieldsAsked({
  rawSelector = "",
  requirements,
}: FieldSelectorAttributes): Selecting<FieldRequirement> | undefined {
  if ((requirements ?? []).length === 0)
    return rawSelector === "" ? undefined : parsedFields(rawSelector);
  return understood(requirements ?? [], ({ key, operator, values }) => {
    const [value, ...more] = values ?? [];
    if (value === undefined || more.length > 0) return [];
    if (operator !== "In" && operator !== "NotIn") return [];
    return [{ field: key, operator: operator === "In" ? "=" : "!=", value } as const];
  });
}

function labelsAsked({
  rawSelector = "",
  requirements,
}: LabelSelectorAttributes): Selecting<LabelRequirement> | undefined {
  if ((requirements ?? []).length === 0)
    return rawSelector === "" ? undefined : parsedLabels(rawSelector);
  return understood(requirements ?? [], (requirement) => {
    try {
      return labelSelector({ matchExpressions: [requirement] }).requirements;
    } catch (error) {
      if (error instanceof SyntaxError) return [];
      throw error;
    }
  });
}

/** Keeps the requirements that can be parsed: ignoring others asks for more rights, which is safe. */
function understood<A, R>(
  asked: readonly A[],
  read: (requirement: A) => readonly R[],
): Selecting<R> {
  const requirements = asked.flatMap(read);
  return { requirements, isPartial: requirements.length < asked.length };
}
