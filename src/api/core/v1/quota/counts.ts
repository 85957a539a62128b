import { one } from "./amounts.ts";
import { type AnyEvaluator, countName } from "./evaluator.ts";

/** Counts the objects of a resource, whatever they are. */
export function objectCount(resource: { group: string; plural: string }): AnyEvaluator {
  const { group, plural } = resource;
  const isLegacy = group === "" && legacyNames.includes(plural);
  const names = isLegacy ? [countName(resource), plural] : [countName(resource)];
  const usage = new Map(names.map((name) => [name, one]));
  return {
    group,
    plural,
    tracks: (name) => names.includes(name),
    usage: () => usage,
    charges: ({ operation, subresource }) => operation === "CREATE" && subresource === "",
  };
}

/** Resources that could be counted by their bare name before all could. */
const legacyNames = ["configmaps", "replicationcontrollers", "resourcequotas", "secrets"];
