import type { RuleWithOperations } from "../../../api/admissionregistration/v1/rule.ts";
import type { Operation } from "../admission.ts";

/** What a rule looks at in a request. */
export interface RuleTarget {
  readonly operation: Operation;
  readonly resource: {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    /** A namespace itself is an object of the cluster. */
    readonly scope: "Namespaced" | "Cluster";
  };
  /** Empty for the object itself. */
  readonly subresource: string;
}

/** Whether a rule means a request. */
export function ruleMatches(rule: Partial<RuleWithOperations>, target: RuleTarget): boolean {
  const { operation, resource, subresource } = target;
  const { group, version, plural } = resource;
  return (
    [undefined, "*", resource.scope].includes(rule.scope) &&
    hasOrAll(rule.operations, operation) &&
    hasOrAll(rule.apiGroups, group) &&
    hasOrAll(rule.apiVersions, version) &&
    (rule.resources ?? []).some((text) => namesResource(text, plural, subresource))
  );
}

const hasOrAll = (items: readonly string[] = [], requested: string): boolean =>
  items.includes("*") || items.includes(requested);

function namesResource(text: string, plural: string, subresource: string): boolean {
  const slash = text.indexOf("/");
  const named = slash < 0 ? text : text.slice(0, slash);
  const through = slash < 0 ? "" : text.slice(slash + 1);
  return (named === "*" || named === plural) && (through === "*" || through === subresource);
}
