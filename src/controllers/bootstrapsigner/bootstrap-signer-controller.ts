import {
  bootstrapTokenNamespace,
  bootstrapTokenType,
} from "../../api/core/v1/bootstrap-token-secret.ts";
import { clusterInfo } from "../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { HmacSha256 } from "../../base/cryptography/hmac-sha256.ts";
import { withChanges } from "../../client/with-changes.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { Controller } from "../../controller-runtime/reconcile/controller-definition.ts";
import { signedClusterInfo, signingToken } from "./signed-cluster-info.ts";

/** Signs the ConfigMap cluster-info with every bootstrap token, so that its holder can trust the content. */
export const bootstrapSignerController = (hmacSha256: HmacSha256): Controller =>
  controller({
    name: "bootstrap-signer-controller",
    for: ConfigMap,
    predicates: [
      ({ type, object: { metadata } }) =>
        type !== "deleted" &&
        metadata.namespace === clusterInfo.namespace &&
        metadata.name === clusterInfo.name,
    ],
    watches: [
      {
        kind: Secret,
        predicates: [
          ({ object }) =>
            object.type === bootstrapTokenType &&
            object.metadata.namespace === bootstrapTokenNamespace,
        ],
        map: () => [clusterInfo],
      },
    ],

    async reconcile(key, { cache, client, clock, signal }) {
      const configMap = await cache.get(ConfigMap, key);
      if (!configMap) return;
      const secrets = await cache.list(Secret, { namespace: bootstrapTokenNamespace });
      const now = clock.now();
      const tokens = secrets.flatMap((secret) => signingToken(secret, now) ?? []);
      const signed = signedClusterInfo(configMap.data ?? {}, tokens, hmacSha256);
      if (!signed) return;
      const changed = withChanges(configMap, (draft) => {
        draft.data = { ...signed };
      });
      await client.update(ConfigMap, changed, { signal });
    },
  });
