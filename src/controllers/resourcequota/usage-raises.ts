import { type Amounts, amountsOf, increase, sameAmounts } from "../../api/core/v1/quota/amounts.ts";
import type { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";

/**
 * The versions of resources that caches must show before a quota is counted. The API server raises the
 * usage of a quota in the commit that writes the object; a count with the quota but without the object
 * would lower the usage again.
 */
export class UsageRaises {
  /** By quota and resource, the version of the last raise. */
  readonly #raises = new Map<string, Map<string, string>>();
  /** The last count: its write into the status is not a raise. */
  readonly #counted = new Map<string, Amounts>();
  readonly #resourcesOf: (names: readonly string[]) => readonly string[];

  /** `resourcesOf` returns the resources that use any of these names of a quota. */
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

  /** Notes a count that is about to be written. */
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
