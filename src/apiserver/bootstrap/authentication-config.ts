import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sameValue } from "../../schema/language/validate.ts";
import { keyOf } from "../objects/address.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import { authenticationData, type ClusterAuthentication } from "./cluster-authentication.ts";
import type { Keeper } from "./follower.ts";
import { dataOf, setData, systemConfigMap, systemConfigMapAt } from "./kept-config-map.ts";
import { cached, ensure, type Placed, placed } from "./own-work.ts";

const name = "extension-apiserver-authentication";

/** The config map by which other servers know clients as this one does, for a cluster without one. */
export function authenticationConfig(
  parts: VerbParts,
  authentication: ClusterAuthentication,
): Placed[] {
  const data = authenticationData({}, authentication, parts.environment.clock.now());
  // Where there is nothing to say there is nothing to write, either.
  if (Object.keys(data).length === 0) return [];
  return placed(parts, systemConfigMap(name, data));
}

/** Keeps it: what this server goes by is always in it. */
export function keepAuthenticationConfig(
  parts: VerbParts,
  authentication: ClusterAuthentication,
): Keeper[] {
  const address = systemConfigMapAt(parts, name);
  if (!address) return [];
  const key = keyOf(address);
  const next = (data: Readonly<Record<string, string>>) =>
    authenticationData(data, authentication, parts.environment.clock.now());
  return [
    {
      task: "keep authentication of the cluster",
      queue: "cluster_authentication_trust_controller",
      kinds: [address.kind],
      concerns: ({ object }) => object.key === key,
      async sync() {
        const current = cached(parts, address);
        if (!current) {
          for (const item of authenticationConfig(parts, authentication)) await ensure(parts, item);
        } else if (!sameValue(next(dataOf(current)), dataOf(current)))
          await tolerating(["NotFound", "Conflict"], write());
      },
    },
  ];

  /** What others have put there may be too much: then it begins anew. */
  async function write(): Promise<void> {
    if (!address) return;
    try {
      await setData(parts, address, next);
    } catch (error) {
      const isTooLong = StatusError.is(error, "Invalid") && String(error).includes("Too long");
      if (isTooLong || StatusError.is(error, "RequestEntityTooLarge"))
        await deleteObject(parts, address, { options: {}, context: serverContext() });
      throw error;
    }
  }
}
