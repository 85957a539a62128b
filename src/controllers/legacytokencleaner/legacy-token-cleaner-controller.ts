import { ConfigMap } from "../../api/core/v1/config-map.ts";
import {
  dayOf,
  invalidSinceLabel,
  isDay,
  legacyTokenTrackingKey,
} from "../../api/core/v1/legacy-token-tracking.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { podSecretNames } from "../../api/core/v1/pod/pod-references.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { logFailure } from "../../controller-runtime/reconcile/log-failure.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { cleaningStep, startOfNextDay } from "./cleaning-step.ts";

export interface LegacyTokenCleanerOptions {
  /** For how long an unused token is kept, and then for how long it is kept invalid, in milliseconds. */
  readonly cleanUpPeriod: number;
}

/**
 * Marks auto-generated tokens in secrets invalid once they have not been used for long, and deletes them
 * after as long again: once a day.
 */
export const legacyTokenCleanerController = ({
  cleanUpPeriod: period,
}: LegacyTokenCleanerOptions): Runnable =>
  queueController({
    name: "legacy-serviceaccount-token-cleaner-controller",
    setUp(ctx) {
      const { client, clock, log, signal } = ctx;
      const secrets = ctx.informer(Secret);
      const accounts = ctx.informer(ServiceAccount);
      const pods = ctx.informer(Pod);

      const isTrackedLongEnough = async (): Promise<boolean> => {
        const { data } = await client.get(ConfigMap, legacyTokenTrackingKey, { signal });
        const since = data?.since;
        if (since === undefined) throw new Error("configMap does not have since label");
        if (!isDay(since)) throw new Error("error parsing trackedSince time", { cause: since });
        return clock.now() >= startOfNextDay(since) + period;
      };

      const markInvalid = (secret: Secret): Promise<unknown> => {
        log.info("marking an unused token invalid", { secret: formatKey(keyOf(secret)) });
        const { uid } = secret.metadata;
        const labels = { [invalidSinceLabel]: dayOf(clock.now()) };
        return client.patch(
          Secret,
          keyOf(secret),
          { merge: { metadata: { uid, labels } } },
          { signal },
        );
      };

      const remove = async (secret: Secret): Promise<void> => {
        log.info("deleting an unused token", { secret: formatKey(keyOf(secret)) });
        const { resourceVersion } = secret.metadata;
        const preconditions = { resourceVersion };
        await client
          .delete(Secret, keyOf(secret), { preconditions, signal })
          .catch((error: unknown) => {
            if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
          });
      };

      ctx.every(dayMs, {
        startsAtOnce: true,
        failure: "cleaning unused tokens failed",
        async work() {
          if (!(await isTrackedLongEnough())) return;
          const isMounted = mountedSecrets((namespace) => pods.list({ namespace }));
          const account = (namespace: string, name: string) => accounts.get({ namespace, name });
          for (const secret of secrets.list()) {
            const step = cleaningStep(secret, { now: clock.now(), period, account, isMounted });
            if (step === "keep") continue;
            const done = step === "delete" ? remove(secret) : markInvalid(secret);
            await done.catch((error: unknown) =>
              logFailure(log, "cleaning an unused token failed", error, {
                secret: formatKey(keyOf(secret)),
              }),
            );
          }
        },
      });
    },
  });

const dayMs = 24 * 3_600_000;

/** Whether a pod refers to a secret; the pods of a namespace are looked through once. */
function mountedSecrets(
  podsOf: (namespace: string) => readonly Pod[],
): (namespace: string, name: string) => boolean {
  const known = new Map<string, ReadonlySet<string>>();
  return (namespace, name) => {
    let names = known.get(namespace);
    if (!names) {
      names = new Set(podsOf(namespace).flatMap(({ spec }) => podSecretNames(spec)));
      known.set(namespace, names);
    }
    return names.has(name);
  };
}
