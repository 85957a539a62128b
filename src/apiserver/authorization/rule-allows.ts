import { matchesPath } from "../../api/rbac/v1/covers.ts";
import type { PolicyRule } from "../../api/rbac/v1/policy-rule.ts";
import type { Attributes } from "./attributes.ts";

/** Whether a rule allows a request. */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (!attributes.isResource)
    return (rule.nonResourceURLs ?? none).some((pattern) => matchesPath(pattern, attributes.path));
  const { resourceNames = none } = rule;
  return (
    hasOrAll(rule.apiGroups, attributes.group) &&
    allowsResource(rule.resources ?? none, attributes) &&
    (resourceNames.length === 0 || resourceNames.includes(attributes.name))
  );
}

const none: readonly string[] = [];

const hasOrAll = (words: readonly string[] = none, word: string): boolean =>
  words.includes(word) || words.includes("*");

/** `pods/log` is another resource than `pods`; `*` before a subresource stands for every resource. */
function allowsResource(words: readonly string[], { resource, subresource }: Attributes): boolean {
  if (subresource === "") return hasOrAll(words, resource);
  return hasOrAll(words, `${resource}/${subresource}`) || words.includes(`*/${subresource}`);
}
