import {
  type KubernetesObject,
  keyOf,
  type ObjectKey,
  type ResourceKind,
} from "../client/resource-kind.ts";
import type { Cache } from "../controller-runtime/cache/cache.ts";
import { controllerOf } from "../controller-runtime/objects/owner-references.ts";
import {
  type LabelSelectorObject,
  labelSelector,
  nothing,
  type Selector,
} from "../schema/selectors/label-selector.ts";

/** Maps an orphan to the objects of a kind whose selector matches it: each of them may adopt it. */
export const possibleOwners =
  <O extends KubernetesObject>(kind: ResourceKind<O>, selectorOf: (owner: O) => Selector) =>
  async (
    orphan: KubernetesObject,
    { cache }: { readonly cache: Cache },
  ): Promise<readonly ObjectKey[]> => {
    if (controllerOf(orphan)) return [];
    const { namespace, labels } = orphan.metadata;
    const all = await cache.list(kind, { namespace });
    return all.filter((one) => selectorOf(one).matches(labels)).map((one) => keyOf(one));
  };

/** Whether a selector is empty, so that it would select everything. */
export const selectsAll = (selector: LabelSelectorObject | null | undefined): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length === 0 &&
  (selector?.matchExpressions ?? []).length === 0;

/** The selector of an owner; an empty one selects nothing. */
export const nonEmptySelector = (selector: LabelSelectorObject | null | undefined): Selector =>
  selectsAll(selector) ? nothing : labelSelector(selector);
