import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import { labelSelectorText } from "../../api/meta/v1/label-selector.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type { PodDisruptionBudgetStatus } from "../../api/policy/v1/pod-disruption-budget-spec.ts";
import { errorMessage } from "../../base/error-message.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
  ReconcileResult,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import type { Predicate } from "../../controller-runtime/reconcile/predicates.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { labelSelector, nothing, type Selector } from "../../schema/selectors/label-selector.ts";
import { quote } from "../../schema/values/quote.ts";
import { podsByLabel, possibleSelectors, selectedPods, selectorIndex } from "../selected-pods.ts";
import { budgetStatus, budgetTarget, countsScale, failedStatus } from "./budget-status.ts";
import { ControllerScales, noControllers } from "./controller-scales.ts";

/** Writes into the status of budgets how many pods may be disrupted. */
export function disruptionController(): Controller {
  const scales = new ControllerScales();
  /** Pods that several budgets select, by the budget that the event names. */
  const contested = new Map<string, Map<string, Pod>>();

  return controller({
    name: "disruption-controller",
    eventSource: "controllermanager",
    for: PodDisruptionBudget,
    predicates: [budgetChanged],
    watches: [
      {
        kind: Pod,
        predicates: [podChanged],
        // As upstream, a budget is not enqueued when a pod stops matching it because of its labels.
        mapKey: () => undefined,
        async map(pod, { cache }) {
          const budgets = await budgetsOf(pod, cache);
          const [first] = budgets;
          if (first && budgets.length > 1) {
            const key = formatKey(keyOf(first));
            contested.set(key, (contested.get(key) ?? new Map()).set(pod.metadata.name ?? "", pod));
          }
          return budgets.map((budget) => keyOf(budget));
        },
      },
    ],
    indexes: [budgetsBySelector, podsByLabel],

    async reconcile(key, ctx) {
      recordContested(ctx, contested.get(formatKey(key))?.values() ?? [], key.name);
      contested.delete(formatKey(key));
      const budget = await ctx.cache.get(PodDisruptionBudget, key);
      if (!budget) return;
      try {
        return await syncStatus(ctx, budget, scales);
      } catch (error) {
        // Another client changed the budget: the retry reads the new version.
        if (StatusError.is(error, "Conflict")) throw error;
        logFailure(ctx.log, "computing the status of a budget failed", error);
        await writeStatus(ctx, budget, failedStatus(budget, errorMessage(error), ctx.clock.now()));
        return;
      }
    },
  });
}

/** The selector of a budget; one that is not valid selects no pods. */
function budgetSelector({ spec }: PodDisruptionBudget): Selector {
  try {
    return labelSelector(spec.selector);
  } catch {
    return nothing;
  }
}

const budgetsBySelector = selectorIndex(PodDisruptionBudget, budgetSelector);

async function budgetsOf(pod: Pod, cache: Cache): Promise<readonly PodDisruptionBudget[]> {
  const budgets = await possibleSelectors<PodDisruptionBudget>(cache, budgetsBySelector, pod);
  return budgets.filter((one) => budgetSelector(one).matches(pod.metadata.labels ?? {}));
}

/** Leaves out updates in which neither what a budget says changes nor what is told of it. */
const budgetChanged: Predicate<PodDisruptionBudget> = (event) =>
  event.type !== "updated" ||
  !sameJson(event.object.spec, event.old.spec) ||
  !sameJson(event.object.status, event.old.status);

/** Skips updates of pods that do not matter to budgets. */
const podChanged: Predicate<Pod> = (event) =>
  event.type !== "updated" || !sameJson(budgetFacts(event.object), budgetFacts(event.old));

const budgetFacts = (pod: Pod) => ({
  labels: pod.metadata.labels ?? {},
  controller: controllerOf(pod)?.uid ?? "",
  isGoing: pod.metadata.deletionTimestamp !== undefined,
  isReady: isPodReady(pod),
});

function recordContested({ events }: ReconcileContext, pods: Iterable<Pod>, budget: string): void {
  for (const pod of pods) {
    const { namespace = "", name = "" } = pod.metadata;
    events.record(pod, {
      type: "Warning",
      reason: "MultiplePodDisruptionBudgets",
      note: `Pod ${quote(namespace)}/${quote(name)} matches multiple PodDisruptionBudgets.  Chose ${quote(budget)} arbitrarily.`,
    });
  }
}

/** Computes the status of a budget and writes it. */
async function syncStatus(
  ctx: ReconcileContext,
  budget: PodDisruptionBudget,
  scales: ControllerScales,
): Promise<ReconcileResult | undefined> {
  const { events, clock } = ctx;
  const { namespace = "" } = budget.metadata;
  const pods = await podsOf(ctx, budget);
  if (pods.length === 0)
    events.record(budget, { type: "Normal", reason: "NoPods", note: "No matching pods found" });
  const target = await targetOf(ctx, budget, { pods, scales });
  const now = clock.now();
  const { status, overdue, recheckMs } = budgetStatus(budget, { ...target, pods, now });
  for (const pod of overdue)
    events.record(pod, {
      type: "Warning",
      reason: "NotDeleted",
      // Upstream names the namespace twice, and not the budget.
      note: `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`,
    });
  if (status) await writeStatus(ctx, budget, status);
  // One millisecond later, because a pod is overdue only then.
  return recheckMs === undefined ? undefined : { requeueAfterMs: recheckMs + 1 };
}

async function podsOf(
  { cache, events }: ReconcileContext,
  budget: PodDisruptionBudget,
): Promise<readonly Pod[]> {
  const { namespace = "" } = budget.metadata;
  try {
    const selector = labelSelector(budget.spec.selector);
    return selector.selectable ? await selectedPods(cache, namespace, selector) : [];
  } catch (error) {
    const note = `Failed to get pods: ${errorMessage(error)}`;
    events.record(budget, { type: "Warning", reason: "NoPods", note });
    throw error;
  }
}

async function targetOf(
  ctx: ReconcileContext,
  budget: PodDisruptionBudget,
  { pods, scales }: { readonly pods: readonly Pod[]; readonly scales: ControllerScales },
) {
  const { events } = ctx;
  try {
    if (!countsScale(budget.spec)) return budgetTarget(budget.spec, pods.length);
    const managed = pods.filter((pod) => controllerOf(pod) !== undefined);
    const target = budgetTarget(budget.spec, await totalScale(ctx, managed, scales));
    if (managed.length < pods.length) events.record(budget, unmanaged(budget));
    return target;
  } catch (error) {
    events.record(budget, {
      type: "Warning",
      reason: "CalculateExpectedPodCountFailed",
      note: `Failed to calculate the number of expected pods: ${errorMessage(error)}`,
    });
    throw error;
  }
}

const unmanaged = ({ spec: { selector } }: PodDisruptionBudget) =>
  ({
    type: "Warning",
    reason: "UnmanagedPods",
    note: `Pods selected by this PodDisruptionBudget (selector: ${selector ? labelSelectorText(selector) : "nil"}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`,
  }) as const;

/** How many pods the controllers of these pods want in total. */
async function totalScale(
  ctx: ReconcileContext,
  pods: readonly Pod[],
  scales: ControllerScales,
): Promise<number> {
  const asked = new Set<string>();
  const found = new Map<string, number>();
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const reference = controllerOf(pod);
    if (!reference || asked.has(reference.uid)) continue;
    asked.add(reference.uid);
    const scale = await scales.find(ctx, reference, namespace);
    if (!scale) throw noControllers(name);
    found.set(scale.uid, scale.replicas);
  }
  return [...found.values()].reduce((a, b) => a + b, 0);
}

async function writeStatus(
  { client, signal }: ReconcileContext,
  budget: PodDisruptionBudget,
  status: PodDisruptionBudgetStatus,
): Promise<void> {
  if (sameJson(status, budget.status)) return;
  await client.update(
    PodDisruptionBudget,
    { ...budget, status },
    { subresource: "status", signal },
  );
}
