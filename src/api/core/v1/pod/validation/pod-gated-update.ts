import type { At } from "../../../../../schema/language/report.ts";
import { sameValue } from "../../../../../schema/language/validate.ts";
import type { Affinity, NodeAffinity } from "../../scheduling/affinity.ts";
import type { NodeSelectorTerm } from "../../scheduling/node-selector.ts";
import type { PodSpec } from "../pod-spec.ts";

/**
 * A pod that is not yet to be scheduled may be bound to fewer nodes, never to more. Gives the spec
 * without such changes.
 */
export function validateGatedUpdate(spec: PodSpec, old: PodSpec, at: At): PodSpec {
  let rest = spec;
  if (!sameValue(spec.nodeSelector ?? {}, old.nodeSelector ?? {})) {
    validateNodeSelector(spec.nodeSelector ?? {}, old.nodeSelector ?? {}, at);
    rest = { ...rest, nodeSelector: old.nodeSelector };
  }
  if (!sameValue(spec.affinity?.nodeAffinity, old.affinity?.nodeAffinity)) {
    validateNodeAffinity(
      spec.affinity?.nodeAffinity,
      old.affinity?.nodeAffinity,
      at.child("affinity").child("nodeAffinity"),
    );
    rest = { ...rest, affinity: withNodeAffinityOf(old.affinity, spec.affinity) };
  }
  return rest;
}

type Labels = Readonly<Record<string, string>>;

function validateNodeSelector(selector: Labels, old: Labels, at: At): void {
  const kept = Object.entries(old).every(
    ([key, value]) => Object.hasOwn(selector, key) && selector[key] === value,
  );
  if (!kept)
    at.invalid(
      "nodeSelector",
      selector,
      "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
    );
}

function withNodeAffinityOf(
  old: Affinity | undefined,
  affinity: Affinity | undefined,
): Affinity | undefined {
  if (!old && !affinity?.podAffinity && !affinity?.podAntiAffinity) return undefined;
  return { ...affinity, nodeAffinity: old?.nodeAffinity };
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";

function validateNodeAffinity(
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
  at: At,
): void {
  const before = old?.[required]?.nodeSelectorTerms ?? [];
  const after = affinity?.[required]?.nodeSelectorTerms ?? [];
  if (before.length === 0) return;
  const here = at.child(required).child("nodeSelectorTerms");
  if (before.length !== after.length) {
    here.invalid(
      "",
      after.length === 0 ? null : after.map(asShown),
      "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
    );
    return;
  }
  for (const [i, term] of after.entries())
    if (!onlyAddsTo(before[i] as NodeSelectorTerm, term))
      here
        .index(i)
        .invalid("", asShown(term), "only additions are allowed (no mutations or deletions)");
}

/** Whether a term begins as it did before; one that selected nothing stays as it is. */
function onlyAddsTo(old: NodeSelectorTerm, term: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  if (lists.every((list) => !old[list]?.length)) return lists.every((list) => !term[list]?.length);
  return lists.every((list) =>
    (old[list] ?? []).every((requirement, i) => sameValue(requirement, term[list]?.[i])),
  );
}

/** A term in the form in which upstream shows it: Go's. */
const asShown = ({ matchExpressions, matchFields }: NodeSelectorTerm) => ({
  MatchExpressions: requirements(matchExpressions),
  MatchFields: requirements(matchFields),
});

const requirements = (list: NodeSelectorTerm["matchExpressions"]) =>
  list?.map(({ key, operator, values }) => ({
    Key: key,
    Operator: operator,
    Values: values ?? null,
  })) ?? null;
