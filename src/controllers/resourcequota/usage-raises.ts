import { type Amounts, amountsOf, increase, sameAmounts } from "../../api/core/v1/quota/amounts.ts";
import type { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";

/**
 * Up to which version the objects of resources must be known before a quota is counted anew. The API
 * server raises what is used in the same commit that writes the object for which it does so; whoever
 * knows the quota but not yet the object would take away what was just charged.
 */
export class UsageRaises {
  /** By quota and resource, the version of the last raise. */
  readonly #raises = new Map<string, Map<string, string>>();
  /** What was counted last: that the status says so is no raise. */
  readonly #counted = new Map<string, Amounts>();
  readonly #resourcesOf: (names: readonly string[]) => readonly string[];

  /** `resourcesOf` says which resources use any of what has such a name. */
  constructor(resourcesOf: (names: readonly string[]) => readonly string[]) {
    this.#resourcesOf = resourcesOf;
  }

  changed(quota: ResourceQuota, old: ResourceQuota): void {
    const key = formatKey(keyOf(quota));
    const used = amountsOf(quota.status.used);
    const counted = this.#counted.get(key);
    const raised = [...increase(used, amountsOf(old.status.used)).keys()];
    if (raised.length === 0 || (counted && sameAmounts(counted, used))) return;
    const versions = this.#raises.get(key) ?? new Map<string, string>();
    this.#raises.set(key, versions);
    for (const resource of this.#resourcesOf(raised))
      versions.set(resource, quota.metadata.resourceVersion ?? "");
  }

  /** From now on the status will say this. */
  counted(key: string, used: Amounts): void {
    this.#counted.set(key, used);
  }

  versionFor(key: string, resource: string): string | undefined {
    return this.#raises.get(key)?.get(resource);
  }

  forget(key: string): void {
    this.#raises.delete(key);
    this.#counted.delete(key);
  }
}
