import {
  apiApproval,
  apiApprovedAnnotation,
  isProtectedGroup,
} from "../../api/apiextensions/v1/api-approval.ts";
import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type {
  CustomResourceDefinitionNames,
  CustomResourceDefinitionStatus,
} from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import {
  type DefinitionCondition,
  findCondition,
  isConditionTrue,
  setCondition,
} from "../../api/apiextensions/v1/definition-conditions.ts";
import { validateStructural } from "../../api/apiextensions/v1/structural-schema.ts";
import { At } from "../../schema/language/report.ts";
import type { Draft } from "../../schema/language/struct.ts";
import { sameValue } from "../../schema/language/validate.ts";
import { quote } from "../../schema/values/quote.ts";

type Status = Draft<CustomResourceDefinitionStatus>;

/**
 * The next status of a definition; undefined where nothing changes. Each step is a write of its own, so that
 * watchers see the same events as upstream's.
 */
export function nextStatus(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): CustomResourceDefinitionStatus | undefined {
  const step = (change: (status: Status) => void) => {
    const status = structuredClone(definition.status) as Status;
    change(status);
    return sameValue(status, definition.status)
      ? undefined
      : (status as CustomResourceDefinitionStatus);
  };
  return (
    step((status) => setApproval(definition, status, now)) ??
    step((status) => setNonStructural(definition, status, now)) ??
    step((status) => acceptNames(definition, status, { others, now })) ??
    step((status) => establish(status, now))
  );
}

/** Whether a definition is served: it has names, and these are accepted or it is established. */
export function isServing({ status }: CustomResourceDefinition): boolean {
  const { plural, singular, kind, listKind } = status.acceptedNames;
  const isNamed = [plural, singular, kind, listKind].every((name) => name);
  return (
    isNamed && (isConditionTrue(status, "NamesAccepted") || isConditionTrue(status, "Established"))
  );
}

/** Sets a condition if it differs. */
function set(status: Status, condition: DefinitionCondition, now: string): void {
  const old = findCondition(status as CustomResourceDefinitionStatus, condition.type);
  const { reason = "", message = "" } = old ?? {};
  const isSame =
    old?.status === condition.status &&
    reason === condition.reason &&
    message === condition.message;
  if (!isSame) setCondition(status, condition, now);
}

function setApproval(
  { metadata, spec }: CustomResourceDefinition,
  status: Status,
  now: string,
): void {
  if (!isProtectedGroup(spec.group)) return;
  const given = metadata.annotations?.[apiApprovedAnnotation] ?? "";
  const must = `protected groups must have approval annotation ${quote(apiApprovedAnnotation)}`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  const texts = {
    missing: ["False", "MissingAnnotation", `${must}, ${see}`],
    bypassed: ["False", "UnapprovedAnnotation", `not approved: ${quote(given)}`],
    approved: ["True", "ApprovedAnnotation", `approved in ${given}`],
    invalid: [
      "False",
      "InvalidAnnotation",
      `${must} with either a URL or a reason starting with "unapproved", ${see}`,
    ],
  } as const;
  const [state, reason, message] = texts[apiApproval(metadata.annotations)];
  const type = "KubernetesAPIApprovalPolicyConformant";
  set(status, { type, status: state, reason, message }, now);
}

/** Only what was stored by older servers can break the rules of structural schemas. */
function setNonStructural({ spec }: CustomResourceDefinition, status: Status, now: string): void {
  const at = At.root();
  if (spec.preserveUnknownFields) at.invalid("spec.preserveUnknownFields", true, "must be false");
  for (const [i, { schema }] of spec.versions.entries())
    if (schema?.openAPIV3Schema)
      validateStructural(
        schema.openAPIV3Schema,
        at.child("spec").child("versions").index(i).child("schema").child("openAPIV3Schema"),
      );
  const type = "NonStructuralSchema";
  if (at.errors.length === 0) {
    if (status.conditions?.some((condition) => condition.type === type))
      status.conditions = status.conditions.filter((condition) => condition.type !== type);
    return;
  }
  const message = all(at.errors.map((error) => `${error.field}: ${error.message}`));
  set(status, { type, status: "True", reason: "Violations", message }, now);
}

interface Rivals {
  /** All other definitions. */
  readonly others: readonly CustomResourceDefinition[];
  readonly now: string;
}

/** Accepts the names that are free, and returns the condition about conflicts. */
function acceptNames(
  { spec }: CustomResourceDefinition,
  status: Status,
  { others, now }: Rivals,
): void {
  const accepted = status.acceptedNames as Names;
  if (sameValue(spec.names, accepted)) return;
  const rivals = others.filter((other) => other.spec.group === spec.group);
  const used = [accepted, ...rivals.map((rival) => rival.status.acceptedNames)];
  const { names, conflicts } = namesAfter(spec.names, accepted, used);
  status.acceptedNames = names;
  // Upstream reports the last conflict.
  const [reason, message] = conflicts.at(-1) ?? ["NoConflicts", "no conflicts found"];
  const isFree = conflicts.length === 0;
  set(status, { type: "NamesAccepted", status: isFree ? "True" : "False", reason, message }, now);
  setInstalling(status, isFree, now);
}

type Names = CustomResourceDefinitionNames;

/** The requested names; for those in use the accepted ones are kept. */
function namesAfter(wanted: Names, accepted: Names, used: readonly Names[]) {
  const resources = new Set(
    used.flatMap(({ plural, singular = "", shortNames = [] }) => [plural, singular, ...shortNames]),
  );
  const kinds = new Set(used.flatMap(({ kind, listKind = "" }) => [kind, listKind]));
  const conflicts: (readonly [reason: string, message: string])[] = [];
  const names = structuredClone({ ...accepted, categories: wanted.categories }) as Draft<Names>;
  const take = (name: "plural" | "singular" | "kind" | "listKind", taken: ReadonlySet<string>) => {
    const asked = wanted[name] ?? "";
    if (asked !== (accepted[name] ?? "") && taken.has(asked))
      conflicts.push([`${title(name)}Conflict`, inUse(asked)]);
    else names[name] = asked;
  };
  take("plural", resources);
  take("singular", resources);
  const repeated = (wanted.shortNames ?? []).filter(
    (name) => !accepted.shortNames?.includes(name) && resources.has(name),
  );
  if (repeated.length > 0) conflicts.push(["ShortNamesConflict", all(repeated.map(inUse))]);
  else names.shortNames = wanted.shortNames && [...wanted.shortNames];
  take("kind", kinds);
  take("listKind", kinds);
  return { names, conflicts };
}

/** Several texts as Go joins errors: each once. */
function all(texts: readonly string[]): string {
  const [first = "", ...rest] = new Set(texts);
  return rest.length === 0 ? first : `[${[first, ...rest].join(", ")}]`;
}

const inUse = (name: string): string => `${quote(name)} is already in use`;
const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A definition stays established, even if its names are no longer accepted. */
function setInstalling(status: Status, isFree: boolean, now: string): void {
  const old = findCondition(status as CustomResourceDefinitionStatus, "Established");
  if (old?.status === "True" || (old && !isFree)) return;
  const [reason, message] = isFree
    ? ["Installing", "the initial names have been accepted"]
    : ["NotAccepted", "not all names are accepted"];
  set(status, { type: "Established", status: "False", reason, message }, now);
}

function establish(status: Status, now: string): void {
  const current = status as CustomResourceDefinitionStatus;
  if (!isConditionTrue(current, "NamesAccepted") || isConditionTrue(current, "Established")) return;
  set(
    status,
    {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    },
    now,
  );
}
