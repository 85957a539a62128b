import type { NamedRuleWithOperations } from "../../../api/admissionregistration/v1/rule.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import type { Attributes } from "../admission.ts";
import { equivalentResources } from "./equivalent-resources.ts";
import { ruleMatches } from "./rule.ts";

/** The resources that a webhook or a policy is meant for. */
export interface ResourceCriteria {
  /** What any of these means; everything if not given. */
  readonly rules?: readonly Partial<NamedRuleWithOperations>[] | undefined;
  /** What is not meant, though a rule means it. */
  readonly excluded?: readonly Partial<NamedRuleWithOperations>[] | undefined;
  /** Whether a request by way of an equivalent resource is meant, too: `Exact`, or `Equivalent`. */
  readonly matchPolicy?: string | undefined;
}

/** Finds the kind as which the object of a request is to be seen; undefined if the request is not meant. */
export type ResourceMatcher = (attributes: Attributes) => AnyKind | undefined;

/** What rules say of a kind, an operation and a subresource; for each request only names are compared. */
interface Decision {
  readonly kind: AnyKind;
  /** Only these objects; all if not given. */
  readonly names: readonly string[] | undefined;
}

/** Compiles rules. They are evaluated once for all requests of a kind, operation and subresource. */
export function resourceMatcher(
  resources: Pick<Resources, "kinds">,
  { rules, excluded = [], matchPolicy }: ResourceCriteria,
): ResourceMatcher {
  const seesEquivalents = matchPolicy === "Equivalent";
  const compile = (named: typeof excluded) => {
    const known = new WeakMap<AnyKind, Map<string, readonly Decision[]>>();
    return (attributes: Attributes): readonly Decision[] => {
      const { kind } = attributes.address;
      let ofKind = known.get(kind);
      if (!ofKind) {
        ofKind = new Map();
        known.set(kind, ofKind);
      }
      const place = `${attributes.operation} ${attributes.subresource}`;
      let decisions = ofKind.get(place);
      if (!decisions) {
        decisions = decide(resources, named, { attributes, seesEquivalents });
        ofKind.set(place, decisions);
      }
      return decisions;
    };
  };
  const [included, without] = [rules && compile(rules), compile(excluded)];
  return (attributes) => {
    const { kind, name } = attributes.address;
    const first = (decisions: readonly Decision[]) =>
      decisions.find(({ names }) => names?.includes(name) ?? true)?.kind;
    if (first(without(attributes))) return undefined;
    return included ? first(included(attributes)) : kind;
  };
}

/** Rules that name the resource of the request come first. */
function decide(
  resources: Pick<Resources, "kinds">,
  rules: readonly Partial<NamedRuleWithOperations>[],
  {
    attributes: { operation, address, subresource },
    seesEquivalents,
  }: { readonly attributes: Attributes; readonly seesEquivalents: boolean },
): readonly Decision[] {
  const { kind } = address;
  const equivalents = seesEquivalents ? equivalentResources(resources, kind, subresource) : [];
  const through = (among: readonly AnyKind[]): readonly Decision[] =>
    rules.flatMap((rule) =>
      among
        .filter((resource) => ruleMatches(rule, { operation, resource, subresource }))
        .map((found) => ({
          kind: found,
          names: rule.resourceNames?.length ? rule.resourceNames : undefined,
        })),
    );
  return [...through([kind]), ...through(equivalents)];
}
