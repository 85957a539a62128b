import { quote } from "../../../schema/values/quote.ts";
import type { ApiObject } from "../../objects/object.ts";
import { type LevelVersion, levelText, type Policy } from "./policy.ts";

const modes = ["enforce", "audit", "warn"] as const;

/** The warning for a namespace with labels of a policy from which it is exempt. */
export function exemptNamespaceWarning(
  { metadata }: ApiObject,
  policy: Policy,
  defaults: Policy,
): string | undefined {
  if (modes.every((mode) => policy[mode].level === "privileged")) return undefined;
  if (modes.every((mode) => isEquivalent(policy[mode], defaults[mode]))) return undefined;
  const { labels = {} } = metadata;
  const ignored = modes.filter((mode) => {
    const label = `pod-security.kubernetes.io/${mode}`;
    const isSaid = Object.hasOwn(labels, label) || Object.hasOwn(labels, `${label}-version`);
    return isSaid && policy[mode].level !== "privileged";
  });
  const list = ignored.map((mode) => `${mode}=${levelText(policy[mode])}`).join(", ");
  return `namespace ${quote(metadata.name ?? "")} is exempt from Pod Security, and the policy (${list}) will be ignored`;
}

const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && (a.level === "privileged" || a.version === b.version);
