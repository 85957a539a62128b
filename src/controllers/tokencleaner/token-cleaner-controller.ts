import {
  bootstrapTokenNamespace,
  bootstrapTokenRemainder,
  bootstrapTokenType,
} from "../../api/core/v1/bootstrap-token-secret.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";

/** Deletes bootstrap tokens when they expire. */
export const tokenCleanerController = controller({
  name: "token-cleaner-controller",
  for: Secret,
  predicates: [
    ({ type, object }) =>
      type !== "deleted" &&
      object.type === bootstrapTokenType &&
      object.metadata.namespace === bootstrapTokenNamespace,
  ],

  async reconcile(key, { cache, client, clock, signal }) {
    const secret = await cache.get(Secret, key);
    if (secret?.type !== bootstrapTokenType) return;
    const remainder = bootstrapTokenRemainder(secret, clock.now());
    if (remainder === undefined) return;
    if (remainder > 0) return { requeueAfterMs: remainder };
    const { uid } = secret.metadata;
    await client.delete(Secret, key, { preconditions: { uid }, signal }).catch((error: unknown) => {
      if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
    });
  },
});
