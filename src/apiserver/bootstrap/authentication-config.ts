import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { sameValue } from "../../schema/language/validate.ts";
import { keyOf } from "../objects/address.ts";
import { addressOf } from "../objects/reader.ts";
import type { OwnParts } from "../verbs/writer.ts";
import { authenticationData, type ClusterAuthentication } from "./cluster-authentication.ts";
import type { FirstObject } from "./first-object.ts";
import type { Reconciler } from "./reconcile-loop.ts";
import { type Data, systemConfigMap } from "./system-config-map.ts";

const key = { namespace: "kube-system", name: "extension-apiserver-authentication" };

/** The config map from which other servers learn how to authenticate clients, for a new cluster. */
export function authenticationConfig(
  authentication: ClusterAuthentication,
  now: number,
): FirstObject[] {
  const data = authenticationData({}, authentication, now);
  return Object.keys(data).length === 0 ? [] : [{ object: systemConfigMap(key.name, data) }];
}

/** Reconciles that config map: the authorities that this server trusts are always in it. */
export function authenticationConfigReconciler(
  { reader, writer, environment }: OwnParts,
  authentication: () => ClusterAuthentication,
): Reconciler[] {
  if (!reader.serves(ConfigMap)) return [];
  const storeKey = keyOf(addressOf(ConfigMap, key));
  const next = (data: Data) => authenticationData(data, authentication(), environment.clock.now());
  return [
    {
      task: "authentication of the cluster",
      queue: "cluster_authentication_trust_controller",
      kinds: [ConfigMap],
      isRelevant: ({ object }) => object.key === storeKey,
      async reconcile() {
        const current = reader.getCached(ConfigMap, key);
        if (!current) {
          for (const { object } of authenticationConfig(authentication(), environment.clock.now()))
            await writer.ensure(ConfigMap, object);
        } else if (!sameValue(next(current.data ?? {}), current.data ?? {})) await write();
      },
    },
  ];

  /** Other servers may have written so much that it is too long. Then the config map is made anew. */
  async function write(): Promise<void> {
    try {
      await writer.update(ConfigMap, key, (existing) => ({
        ...existing,
        data: next(existing.data ?? {}),
      }));
    } catch (error) {
      const isTooLong = StatusError.is(error, "Invalid") && String(error).includes("Too long");
      if (isTooLong || StatusError.is(error, "RequestEntityTooLarge"))
        await writer.delete(ConfigMap, key);
      throw error;
    }
  }
}
