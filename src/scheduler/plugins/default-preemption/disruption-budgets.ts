import type { PodDisruptionBudget } from "../../../api/policy/v1/pod-disruption-budget.ts";
import { labelSelector, type Selector } from "../../../schema/selectors/label-selector.ts";
import type { PodInfo } from "../../framework/pod-info.ts";

/** Pods whose eviction would violate a budget, and the others, each in their order. */
export interface VictimsByBudget {
  readonly violating: readonly PodInfo[];
  readonly others: readonly PodInfo[];
}

/** Splits pods by whether their budgets allow the eviction, after that of the pods before them. */
export function victimsByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): VictimsByBudget {
  const accounts: Account[] = budgets.map((budget) => ({
    namespace: budget.metadata.namespace,
    selector: readable(budget),
    left: budget.status.disruptionsAllowed,
    disrupted: budget.status.disruptedPods ?? {},
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    const breaks = accounts.filter((account) => means(account, pod) && takeFrom(account) < 0);
    (breaks.length > 0 ? violating : others).push(pod);
  }
  return { violating, others };
}

/** The disruptions that a budget still allows. */
interface Account {
  readonly namespace: string | undefined;
  readonly selector: Selector | undefined;
  readonly disrupted: Readonly<Record<string, unknown>>;
  left: number;
}

/** Whether a budget selects a pod and does not already count it as disrupted. */
const means = (
  { namespace, selector, disrupted }: Account,
  { name, namespace: own, pod: { metadata } }: PodInfo,
): boolean =>
  namespace === own &&
  Object.keys(metadata.labels ?? {}).length > 0 &&
  (selector?.matches(metadata.labels) ?? false) &&
  !Object.hasOwn(disrupted, name);

function takeFrom(account: Account): number {
  account.left--;
  return account.left;
}

/** Parses the selector of a budget; undefined if it is empty or invalid. */
function readable({ spec }: PodDisruptionBudget): Selector | undefined {
  try {
    const selector = labelSelector(spec?.selector);
    return selector.requirements.length === 0 ? undefined : selector;
  } catch {
    return undefined;
  }
}
