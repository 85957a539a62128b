import { bool, int32, named, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

/** Names with this beginning belong to the system. */
const systemPriorityClassPrefix = "system-";
/** The highest priority that a class may have which is not the system's. */
const highestUserDefinablePriority = 1_000_000_000;

/** The classes that every cluster has. */
export const systemPriorityClasses = [
  {
    name: "system-node-critical",
    value: 2 * highestUserDefinablePriority + 1000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: 2 * highestUserDefinablePriority,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
] as const;

export const PriorityClass = kind({
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  shortNames: ["pc"],
  scope: "Cluster",
  doc: "A name for a priority of pods.",
  name: nameIsDnsSubdomain,
  fields: {
    value: int32(2).always().doc("The priority; higher goes first."),
    globalDefault: bool(3).doc("Whether pods that name no class have this one."),
    description: string(4).doc("What the class is for."),
    preemptionPolicy: named(5, "v1.PreemptionPolicy")
      .pointer()
      .known("PreemptLowerPriority", "Never")
      .default("PreemptLowerPriority")
      .doc("Whether pods of the class may displace others: PreemptLowerPriority or Never."),
  },
  rules: [validateValue, ({ preemptionPolicy }, at) => validatePolicy(preemptionPolicy, at)],
  updateRules(object, old, { at }) {
    if (object.value !== old.value) at.forbidden("value", "may not be changed in an update.");
    if (object.preemptionPolicy !== old.preemptionPolicy)
      at.invalid("preemptionPolicy", object.preemptionPolicy, "field is immutable");
  },
  strategy: {
    generation: {},
    deleteRefusal: (name) =>
      systemPriorityClasses.some((one) => one.name === name)
        ? "this is a system priority class and cannot be deleted"
        : undefined,
  },
  columns: [
    nameColumn,
    {
      name: "Value",
      type: "integer",
      description:
        "value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.",
      cell: ({ value }) => value,
    },
    {
      name: "Global-Default",
      type: "boolean",
      description:
        "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.",
      cell: ({ globalDefault }) => globalDefault ?? false,
    },
    ageColumn,
    {
      name: "PreemptionPolicy",
      type: "string",
      description:
        "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
      cell: ({ preemptionPolicy }) => preemptionPolicy,
    },
  ],
});
export interface PriorityClass extends ObjectOf<typeof PriorityClass> {}

interface Body {
  readonly metadata: { readonly name?: string | undefined };
  readonly value: number;
  readonly globalDefault?: boolean | undefined;
}

function validateValue({ metadata: { name = "" }, value, globalDefault }: Body, at: At): void {
  if (name.startsWith(systemPriorityClassPrefix)) {
    const problem = systemClassProblem(name, value, globalDefault ?? false);
    if (problem !== undefined)
      at.forbidden(
        "metadata.name",
        `priority class names with '${systemPriorityClassPrefix}' prefix are reserved for system use only. error: ${problem}`,
      );
  } else if (value > highestUserDefinablePriority)
    at.forbidden(
      "value",
      `maximum allowed value of a user defined priority is ${highestUserDefinablePriority}`,
    );
}

function systemClassProblem(
  name: string,
  value: number,
  globalDefault: boolean,
): string | undefined {
  const known = systemPriorityClasses.find((one) => one.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  if (globalDefault) return `globalDefault of ${name} PriorityClass must be false`;
  return undefined;
}

function validatePolicy(policy: string, at: At): void {
  if (policy === "") at.required("preemptionPolicy");
  else if (policy !== "PreemptLowerPriority" && policy !== "Never")
    at.notSupported("preemptionPolicy", policy, ["PreemptLowerPriority", "Never"]);
}
