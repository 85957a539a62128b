import { Pod } from "../api/core/v1/pod/pod.ts";
import type { KubernetesObject, ResourceKind } from "../client/resource-kind.ts";
import type { Cache } from "../controller-runtime/cache/cache.ts";
import type { KindIndex } from "../controller-runtime/reconcile/controller-definition.ts";
import { requiredLabelValue, type Selector } from "../schema/selectors/label-selector.ts";

/** An index of pods by each label, so that a selection does not scan all pods. */
export const podsByLabel: KindIndex = {
  kind: Pod,
  name: "labels",
  valuesOf(object) {
    const { namespace = "", labels = {} } = (object as Pod).metadata;
    return Object.entries(labels).map(([key, value]) => labelText(namespace, key, value));
  },
};

/** The pods of a namespace that a selector matches, sorted by name; needs the index `podsByLabel`. */
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

/** The part of a pod on which selectors depend. */
export const labelsOf = ({ metadata }: Pod): Pod["metadata"]["labels"] => metadata.labels;

/** An index of objects that select pods, by a label that all their pods have; those without one by namespace. */
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

/** The objects that may select a pod, sorted by name; a superset of those that do. */
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
