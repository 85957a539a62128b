import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { serviceAccountTokenKind } from "../../api/core/v1/service-account-token-secret.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Backoff } from "../../base/backoff.ts";
import type { SigningKey } from "../../base/cryptography/token-key.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import { retryOnConflict } from "../../controller-runtime/objects/retry-on-conflict.ts";
import type { ChangingValue } from "../../controller-runtime/reconcile/changing-value.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type {
  Controller,
  ReconcileContext,
} from "../../controller-runtime/reconcile/controller-definition.ts";
import { accountOf, filledSecret, isOfAccount, withoutSecret } from "./token-secret.ts";

export interface TokenControllerOptions {
  /** Signs tokens; the API server must know the key. */
  readonly signer: SigningKey;
  /** Certificates in PEM with which the API server is verified; not added to secrets if empty. */
  readonly rootCa: ChangingValue<string>;
}

/** Other clients write service accounts, too. */
const removalRetry: Backoff = { steps: 10, duration: 100, jitter: 1 };

/**
 * Fills secrets that request a token of a service account, deletes those whose account is gone, and
 * removes deleted secrets from their account. A change of an account enqueues its secrets.
 */
export function serviceAccountTokenController(options: TokenControllerOptions): Controller {
  /** Token secrets by key: after a deletion, their service account is known only from here. */
  const seen = new Map<string, Secret>();
  return controller({
    name: "serviceaccount-token-controller",
    for: Secret,
    dependsOn: options.rootCa,
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

    async reconcile(key, ctx) {
      const { cache, client, signal } = ctx;
      const secret = await cache.get(Secret, key);
      const before = seen.get(formatKey(key));
      if (before && before.metadata.uid !== secret?.metadata.uid) {
        await removeReference(before, ctx);
        seen.delete(formatKey(key));
      }
      if (secret?.type !== serviceAccountTokenKind) return;
      seen.set(formatKey(key), secret);
      const { namespace, uid } = secret.metadata;
      const { name, uid: accountUid } = accountOf(secret);
      const isIt = (one: ServiceAccount | undefined): one is ServiceAccount =>
        one !== undefined && (accountUid === "" || one.metadata.uid === accountUid);
      const place = { namespace, name };
      const cached = await cache.get(ServiceAccount, place);
      // The cache may not show the account yet.
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
      const filled = filledSecret(secret, account, {
        signer: options.signer,
        rootCa: options.rootCa.current,
      });
      if (filled)
        await client
          .update(Secret, filled, { signal })
          .catch((error: unknown) => unless(error, "NotFound", "Conflict"));
    },
  });
}

/** Removes a deleted secret from the list of its account. */
async function removeReference(secret: Secret, ctx: ReconcileContext): Promise<void> {
  const { cache, client, clock, random, signal } = ctx;
  const { namespace, name: secretName = "" } = secret.metadata;
  const place = { namespace, name: accountOf(secret).name };
  const isIt = ({ metadata: { name = "", uid = "" } }: ServiceAccount): boolean =>
    isOfAccount(secret, { name, uid });
  const cached = await cache.get(ServiceAccount, place);
  if (!cached || !isIt(cached)) return;
  const remove = async (): Promise<void> => {
    const account = await client.get(ServiceAccount, place, { signal });
    const changed = isIt(account) ? withoutSecret(account, secretName) : undefined;
    if (changed) await client.update(ServiceAccount, changed, { signal });
  };
  await retryOnConflict(remove, { clock, random, signal, backoff: removalRetry }).catch(
    (error: unknown) => unless(error, "NotFound"),
  );
}

/** Ignores errors with one of these reasons. */
function unless(error: unknown, ...reasons: ("NotFound" | "Conflict")[]): undefined {
  if (!StatusError.is(error, ...reasons)) throw error;
}
