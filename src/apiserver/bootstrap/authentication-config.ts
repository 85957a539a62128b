import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sameValue } from "../../schema/language/validate.ts";
import { keyOf, type Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { authenticationData, type ClusterAuthentication } from "./cluster-authentication.ts";
import type { Keeper } from "./follower.ts";
import { dataOf, setData, systemConfigMap, systemConfigMapAt } from "./kept-config-map.ts";
import { cached, ensure, type Placed, placed } from "./own-work.ts";

const name = "extension-apiserver-authentication";

/** The config map by which other servers know clients as this one does, for a cluster without one. */
export function authenticationConfig(
  registry: Registry,
  authentication: ClusterAuthentication,
): Placed[] {
  const data = authenticationData({}, authentication, registry.clock.now());
  // Where there is nothing to say there is nothing to write, either.
  if (Object.keys(data).length === 0) return [];
  return placed(registry, systemConfigMap(name, data));
}

/** Keeps it: what this server goes by is always in it. */
export function keepAuthenticationConfig(
  registry: Registry,
  authentication: ClusterAuthentication,
): Keeper[] {
  const address = systemConfigMapAt(registry, name);
  if (!address) return [];
  const key = keyOf(address);
  const next = (data: Readonly<Record<string, string>>) =>
    authenticationData(data, authentication, registry.clock.now());
  return [
    {
      task: "keep authentication of the cluster",
      queue: "cluster_authentication_trust_controller",
      kinds: [address.kind],
      concerns: ({ object }) => object.key === key,
      async sync() {
        const current = cached(registry, address);
        if (!current) {
          for (const item of authenticationConfig(registry, authentication))
            await ensure(registry, item);
        } else if (!sameValue(next(dataOf(current)), dataOf(current)))
          await tolerating(["NotFound", "Conflict"], write());
      },
    },
  ];

  /** What others have put there may be too much: then it begins anew. */
  async function write(): Promise<void> {
    if (!address) return;
    try {
      await setData(registry, address, next);
    } catch (error) {
      const isTooLong = StatusError.is(error, "Invalid") && String(error).includes("Too long");
      if (isTooLong || StatusError.is(error, "RequestEntityTooLarge"))
        await deleteObject(registry, address, { options: {}, context: serverContext() });
      throw error;
    }
  }
}
