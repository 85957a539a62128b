import type { PolicyRule } from "../../../../api/rbac/v1/policy-rule.ts";
import { dynamicKind } from "../../../../client/resource-kind.ts";
import { goString } from "../../../../schema/values/go-print.ts";
import { type SimpleRule, simpleRules } from "../../../describe/access/policy-rules.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";

const rulesReview = dynamicKind({
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
});

export interface ListAccessOptions {
  readonly namespace: string;
  readonly noHeaders: boolean;
  warn(text: string): void;
}

/** Prints all that the user may do in a namespace. */
export async function listAccess(
  { factory, io, signal }: Pick<CommandContext, "factory" | "io" | "signal">,
  { namespace, noHeaders, warn }: ListAccessOptions,
): Promise<void> {
  const client = await factory.client();
  const options = { signal, onWarning: (text: string) => factory.warn(text) };
  const review = await helper(client, rulesReview, options).create("", {
    kind: rulesReview.kind,
    apiVersion: `${rulesReview.group}/${rulesReview.version}`,
    metadata: {},
    spec: { namespace },
    status: { resourceRules: null, nonResourceRules: null, incomplete: false },
  });
  const { incomplete, evaluationError, resourceRules, nonResourceRules } = (review.status ??
    {}) as RulesStatus;
  if (incomplete) warn(`the list may be incomplete: ${evaluationError ?? ""}`);
  const rules = [...(resourceRules ?? []), ...(nonResourceRules ?? [])];
  const out = new TabWriter(io.stdout);
  if (!noHeaders) out.write("Resources\tNon-Resource URLs\tResource Names\tVerbs\n");
  for (const rule of simpleRules(rules)) {
    const lists = [rule.nonResourceURLs, rule.resourceNames, rule.verbs].map(goString);
    out.write(`${[resourceText(rule), ...lists].join("\t")}\n`);
  }
  out.flush();
}

interface RulesStatus {
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
  readonly resourceRules?: readonly PolicyRule[] | null;
  readonly nonResourceRules?: readonly PolicyRule[] | null;
}

/** A resource with its group before its subresource: `deployments.apps/scale`. */
function resourceText({ resources: [resource], apiGroups: [group = ""] }: SimpleRule): string {
  if (resource === undefined) return "";
  const slash = resource.indexOf("/");
  const [name, subresource] =
    slash < 0 ? [resource, ""] : [resource.slice(0, slash), resource.slice(slash)];
  return `${name}${group && `.${group}`}${subresource}`;
}
