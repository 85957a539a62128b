import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { quote } from "../../../schema/values/quote.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { evaluate, reasonText } from "./evaluate.ts";
import { type LevelVersion, levelText } from "./policy.ts";

const maxPods = 3000;

/** The warnings for pods of a namespace that its new policy would reject. */
export function existingPodWarnings(
  namespace: string,
  level: LevelVersion,
  pods: readonly Pod[],
): readonly string[] {
  const checked = mostTelling(pods).slice(0, maxPods);
  const names = new Map<string, string[]>();
  for (const pod of checked) {
    const violations = evaluate(level, pod);
    if (violations.length === 0) continue;
    const reason = reasonText(violations);
    names.set(reason, [...(names.get(reason) ?? []), pod.metadata.name ?? ""]);
  }
  const warnings = [];
  if (checked.length < pods.length)
    warnings.push(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
    );
  if (names.size > 0)
    warnings.push(
      `existing pods in namespace ${quote(namespace)} violate the new PodSecurity enforce level ${quote(levelText(level))}`,
    );
  const perReason = Array.from(names, ([reason, those]) => `${firstOf(those)}: ${reason}`);
  return [...warnings, ...perReason.sort(compareUtf8)];
}

/** Puts the first pod of each controller before the others, which are alike. */
function mostTelling(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const alike = new Set<Pod>();
  for (const pod of pods) {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller);
    if (!owner) continue;
    if (seen.has(owner.uid)) alike.add(pod);
    seen.add(owner.uid);
  }
  return [...pods.filter((pod) => !alike.has(pod)), ...alike];
}

function firstOf(names: readonly string[]): string {
  const [first = ""] = [...names].sort(compareUtf8);
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}
