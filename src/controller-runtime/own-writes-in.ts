import { StatusError } from "../api/meta/v1/status-error.ts";
import type { Client } from "../client/client.ts";
import type { KubernetesObject, ResourceKind } from "../client/resource-kind.ts";
import type { ManagerCache } from "./cache.ts";
import type { OwnWritesOptions } from "./own-writes.ts";

/** How own writes are found in a manager's cache, and on the server where nobody knows what became of them. */
export function ownWritesIn(
  cache: ManagerCache,
  { client, ...rest }: Pick<OwnWritesOptions, "clock" | "timeoutMs"> & { readonly client: Client },
): OwnWritesOptions {
  return {
    ...rest,
    followed: (resource) => cache.followed(resource),
    async read({ group, plural, namespace, name }, signal) {
      const [one] = cache.followed({ group, plural });
      if (!one) return [];
      const kind = one.kind as ResourceKind<KubernetesObject>;
      if (name === undefined)
        return (await client.list(kind, { ...one.scope, namespace, signal })).items;
      try {
        return [await client.get(kind, { namespace, name }, { signal })];
      } catch (error) {
        if (StatusError.is(error, "NotFound")) return [];
        throw error;
      }
    },
  };
}
