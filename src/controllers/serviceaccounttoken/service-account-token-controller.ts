import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { serviceAccountTokenKind } from "../../api/core/v1/service-account-token-secret.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { SigningKey } from "../../base/token-key.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { Controller } from "../../controller-runtime/controller.ts";
import { controller } from "../../controller-runtime/define-controller.ts";
import { accountOf, filledSecret, isOfAccount } from "./token-secret.ts";

export interface TokenControllerOptions {
  /** Signs tokens; the API server must know the key. */
  readonly signer: SigningKey;
  /** Certificates in PEM by which the API server is known; nothing is added without. */
  readonly rootCa: string;
  readonly concurrency: number;
}

/**
 * Fills the secrets that ask for a token of a service account, and deletes those whose account is gone. A
 * secret is reconciled when something happens to it or to its account.
 */
export function serviceAccountTokenController(options: TokenControllerOptions): Controller {
  const { concurrency, ...how } = options;
  return controller({
    name: "serviceaccount-token-controller",
    account: "",
    for: Secret,
    predicates: [({ object }) => object.type === serviceAccountTokenKind],
    watches: [
      {
        kind: ServiceAccount,
        async map({ metadata: { namespace, name = "", uid = "" } }, { cache }) {
          const secrets = await cache.list(Secret, { namespace });
          return secrets.filter((secret) => isOfAccount(secret, { name, uid })).map(keyOf);
        },
      },
    ],
    concurrency,

    async reconcile(key, { cache, client, signal }) {
      const secret = await cache.get(Secret, key);
      if (secret?.type !== serviceAccountTokenKind) return;
      const { namespace, uid } = secret.metadata;
      const { name, uid: accountUid } = accountOf(secret);
      const isIt = (one: ServiceAccount | undefined): one is ServiceAccount =>
        one !== undefined && (accountUid === "" || one.metadata.uid === accountUid);
      const place = { namespace, name };
      const cached = await cache.get(ServiceAccount, place);
      // A cache may not know it yet.
      const account = isIt(cached)
        ? cached
        : await client
            .get(ServiceAccount, place, { signal })
            .catch((error: unknown) => unless(error, "NotFound"));
      if (!isIt(account)) {
        await client
          .delete(Secret, keyOf(secret), { preconditions: { uid }, signal })
          .catch((error: unknown) => unless(error, "NotFound", "Conflict"));
        return;
      }
      const filled = filledSecret(secret, account, how);
      if (filled)
        await client
          .update(Secret, filled, { signal })
          .catch((error: unknown) => unless(error, "NotFound", "Conflict"));
    },
  });
}

/** Nothing, where a call failed for one of these reasons. */
function unless(error: unknown, ...reasons: ("NotFound" | "Conflict")[]): undefined {
  if (!StatusError.is(error, ...reasons)) throw error;
}
