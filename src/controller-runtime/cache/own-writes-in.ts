import type { Client } from "../../client/client.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import type { ManagerCache } from "./cache.ts";
import type { OwnWritesOptions } from "./own-writes.ts";

/** Finds own writes in a manager's cache, and on the server where the outcome of a write is unknown. */
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
      // An account that may watch a kind may list it, but is not always allowed to get single objects.
      const which = name === undefined ? one.scope : { fieldSelector: `metadata.name=${name}` };
      return (await client.list(kind, { ...which, namespace, signal })).items;
    },
  };
}
