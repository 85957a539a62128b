import { value } from "../../../schema/language/field.ts";
import { getWarningsForCidr } from "../../../schema/values/ip.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { selectorText } from "../../apps/v1/template-columns.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";
import { NetworkPolicySpec } from "./network-policy-spec.ts";
import { ipBlocksOf, validateNetworkPolicySpec } from "./network-policy-validation.ts";

export const NetworkPolicy = kind({
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  shortNames: ["netpol"],
  scope: "Namespaced",
  doc: "Says with whom the pods of a namespace may exchange traffic.",
  name: nameIsDnsSubdomain,
  fields: {
    spec: value(2, NetworkPolicySpec).doc("Which traffic of which pods is allowed."),
  },
  rules: [({ spec }, at) => validateNetworkPolicySpec(spec, at.child("spec"), undefined)],
  updateRules: ({ spec }, old, { at }) =>
    validateNetworkPolicySpec(spec, at.child("spec"), old.spec),
  strategy: {
    generation: { spec: identical },
    warnings: ({ spec }) =>
      ipBlocksOf(spec).flatMap(([{ cidr, except = [] }, path]) => [
        ...getWarningsForCidr(`${path}.cidr`, cidr),
        ...except.flatMap((text, i) => getWarningsForCidr(`${path}.except[${i}]`, text)),
      ]),
  },
  columns: [
    nameColumn,
    {
      name: "Pod-Selector",
      type: "string",
      description:
        "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
      cell: ({ spec }) => selectorText(spec.podSelector),
    },
    ageColumn,
  ],
});
export interface NetworkPolicy extends ObjectOf<typeof NetworkPolicy> {}

/** Unlike everywhere else, an empty list counts as a change where there was none. */
function identical(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b)
    return (a ?? null) === (b ?? null);
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return [...new Set([...Object.keys(x), ...Object.keys(y)])].every((key) =>
    identical(x[key], y[key]),
  );
}
