import { Pod } from "../api/core/v1/pod/pod.ts";
import type { KubernetesObject, ResourceKind } from "../client/resource-kind.ts";
import type { Cache } from "../controller-runtime/cache/cache.ts";
import type { KindIndex } from "../controller-runtime/reconcile/controller-definition.ts";
import { requiredLabelValue, type Selector } from "../schema/selectors/label-selector.ts";

/** Pods by each of their labels, so that selecting some does not mean looking at all. */
export const podsByLabel: KindIndex = {
  kind: Pod,
  name: "labels",
  valuesOf(object) {
    const { namespace = "", labels = {} } = (object as Pod).metadata;
    return Object.entries(labels).map(([key, value]) => labelText(namespace, key, value));
  },
};

/** The pods of a namespace that a selector takes, by name; `podsByLabel` must be among the indexes. */
export async function selectedPods(
  cache: Cache,
  namespace: string,
  selector: Selector,
): Promise<readonly Pod[]> {
  let fewest: readonly Pod[] | undefined;
  for (const { key } of selector.requirements) {
    const value = requiredLabelValue(selector, key);
    if (value === undefined) continue;
    const found = await cache.byIndex(Pod, podsByLabel.name, labelText(namespace, key, value));
    if (!fewest || found.length < fewest.length) fewest = found;
  }
  const candidates = fewest ?? (await cache.list(Pod, { namespace }));
  return candidates
    .filter(({ metadata }) => selector.matches(metadata.labels ?? {}))
    .toSorted((a, b) => compareTexts(a.metadata.name ?? "", b.metadata.name ?? ""));
}

/** What selectors go by: a pod that keeps it is selected by whoever selected it before. */
export const labelsOf = ({ metadata }: Pod): Pod["metadata"]["labels"] => metadata.labels;

/** Objects that select pods, by one label that all of their pods have; those without one by their namespace. */
export function selectorIndex<O extends KubernetesObject>(
  kind: ResourceKind<O>,
  selectorOf: (object: O) => Selector,
): KindIndex {
  const valuesOf = (object: O): readonly string[] => {
    const { namespace = "" } = object.metadata;
    const selector = selectorOf(object);
    if (!selector.selectable) return [];
    for (const { key } of selector.requirements) {
      const value = requiredLabelValue(selector, key);
      if (value !== undefined) return [labelText(namespace, key, value)];
    }
    return [namespace];
  };
  return { kind, name: "selector", valuesOf: valuesOf as KindIndex["valuesOf"] };
}

/** The objects that may select a pod, by name: all that do are among them. */
export async function possibleSelectors<O extends KubernetesObject>(
  cache: Cache,
  index: KindIndex,
  { metadata }: Pod,
): Promise<readonly O[]> {
  const { namespace = "", labels = {} } = metadata;
  const values = Object.entries(labels).map(([key, value]) => labelText(namespace, key, value));
  const kind = index.kind as ResourceKind<O>;
  const found = await cache.byIndex(kind, index.name, namespace, ...values);
  return found.toSorted((a, b) => compareTexts(a.metadata.name ?? "", b.metadata.name ?? ""));
}

const labelText = (namespace: string, key: string, value: string): string =>
  `${namespace}/${key}=${value}`;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
