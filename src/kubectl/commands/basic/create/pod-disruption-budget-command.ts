import { stringFlag, type Values } from "../../../../cli/flag.ts";
import { parseLabelSelector } from "../../../../schema/selectors/label-selector.ts";
import { parseIntOrString } from "../../../../schema/values/int-or-string.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { createObjectCommand } from "./create-object-command.ts";
import { mapMember, newObject } from "./new-object.ts";

const budgetFlags = {
  "min-available": stringFlag({
    usage: "How many pods must stay available: a number or a percentage.",
  }),
  "max-unavailable": stringFlag({
    usage: "How many pods may be unavailable: a number or a percentage.",
  }),
  selector: stringFlag({
    usage: "The labels of the pods; only requirements of equality are supported.",
  }),
};

export const createPodDisruptionBudgetCommand = createObjectCommand({
  command: {
    name: "poddisruptionbudget",
    aliases: ["pdb"],
    usage: "NAME --selector=SELECTOR --min-available=N [--dry-run=server|client|none]",
    short: "Create a pod disruption budget with the specified name",
    long: "Create a pod disruption budget with a name, a selector, and how many pods must stay.",
    examples: `# Keep at least one pod with the label app=rails
kubectl create poddisruptionbudget my-pdb --selector=app=rails --min-available=1

# Keep at least half of the pods with the label app=nginx
kubectl create pdb my-pdb --selector=app=nginx --min-available=50%`,
  },
  flags: budgetFlags,
  kind: {
    group: "policy",
    version: "v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    scope: "Namespaced",
  },
  failure: () => "failed to create poddisruptionbudgets: ",
  needsName: true,
  generate({ name, namespace, flags }) {
    checkBudget(flags);
    const { "min-available": least, "max-unavailable": most } = flags;
    const spec = {
      ...(least !== "" && { minAvailable: parseIntOrString(least) }),
      selector: selectorObject(flags.selector),
      ...(least === "" && { maxUnavailable: parseIntOrString(most) }),
    };
    const status = {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    };
    return newObject("policy/v1 PodDisruptionBudget", { name, namespace }, { spec, status });
  },
});

function checkBudget(flags: Values<typeof budgetFlags>): void {
  const { "min-available": least, "max-unavailable": most, selector } = flags;
  if (selector === "") throw new Error("a selector must be specified");
  if (least === "" && most === "")
    throw new Error("one of min-available or max-unavailable must be specified");
  if (least !== "" && most !== "")
    throw new Error("min-available and max-unavailable cannot be both specified");
  const amount = /^[0-9]+%?$/;
  if (least !== "" && !amount.test(least))
    throw new Error("invalid format specified for min-available");
  if (most !== "" && !amount.test(most))
    throw new Error("invalid format specified for max-unavailable");
}

/** The object form of a selector. */
function selectorObject(text: string): object {
  const labels: Record<string, string> = {};
  const matchExpressions: object[] = [];
  for (const { key, operator, values } of requirementsOf(text)) {
    const name = operatorNames[operator];
    if (operator === "=" || operator === "==") labels[key] = values[0] ?? "";
    else if (name === undefined)
      throw new Error(
        operator === "!="
          ? `${quote(operator)} is not a valid label selector operator`
          : `${quote(operator)} isn't supported in label selectors`,
      );
    else
      matchExpressions.push({
        key,
        operator: name,
        ...(values.length > 0 && { values: values.toSorted() }),
      });
  }
  return {
    ...mapMember("matchLabels", labels),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

function requirementsOf(text: string) {
  try {
    return parseLabelSelector(text).requirements;
  } catch (cause) {
    throw new Error(`couldn't parse the selector string "${text}": ${(cause as Error).message}`, {
      cause,
    });
  }
}

const operatorNames: Readonly<Record<string, string>> = {
  in: "In",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};
