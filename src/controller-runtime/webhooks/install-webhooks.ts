import { MutatingWebhookConfiguration } from "../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { delays } from "../../base/backoff.ts";
import type { Timer } from "../../base/clock.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import type { RunnableContext } from "../manager/manager-options.ts";
import { hasMembers, type WebhookConfigurations } from "./webhook-configurations.ts";

/** What the installation of webhooks needs of the manager. */
export type InstallContext = Pick<
  RunnableContext,
  "client" | "informers" | "clock" | "random" | "log"
>;

/** Configurations of webhooks that are kept as they should be. */
export interface InstalledWebhooks {
  /** Whether all of them are as they should be. */
  readonly isComplete: boolean;
  /** Looks at them again, because the wanted ones have changed. */
  refresh(): void;
  close(): void;
}

/** One object that is kept, and how it gets what it should have. */
interface Target {
  readonly kind: ResourceKind<KubernetesObject>;
  readonly name: string;
  /** Writes what is missing; returns whether the object is as it should be. */
  ensure(): Promise<boolean>;
}

/**
 * Writes the configurations of webhooks, and writes them again when others change or delete them. Definitions of
 * custom kinds get their conversion once they exist. What is wanted is asked for at each write.
 */
export function installWebhooks(
  ctx: InstallContext,
  name: string,
  wanted: () => WebhookConfigurations,
): InstalledWebhooks {
  const kept = targetsOf(ctx, name, wanted).map((target) => keep(ctx, target));
  return {
    get isComplete() {
      return kept.every(({ isComplete }) => isComplete);
    },
    refresh() {
      for (const one of kept) one.refresh();
    },
    close() {
      for (const one of kept) one.close();
    },
  };
}

/** Deletes the configurations of a name, so that nobody is kept waiting for a server that is gone. */
export async function uninstallWebhooks({ client }: InstallContext, name: string): Promise<void> {
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    await ignoreNotFound(client.delete(kind, { name }));
}

function targetsOf(
  ctx: InstallContext,
  name: string,
  wanted: () => WebhookConfigurations,
): readonly Target[] {
  const { client } = ctx;
  const options = { fieldManager: name, force: true };
  const conversion = (definition: string): Target => ({
    kind: CustomResourceDefinition,
    name: definition,
    async ensure() {
      const found = await ignoreNotFound(
        client.get(CustomResourceDefinition, { name: definition }),
      );
      if (!found) return false;
      const conversion = wanted().conversions.get(definition);
      if (!conversion || hasMembers(found.spec.conversion, conversion)) return true;
      const { webhook, strategy } = conversion;
      // One of url and service takes the place of the other.
      const clientConfig = { url: null, service: null, ...webhook.clientConfig };
      const merge = { spec: { conversion: { strategy, webhook: { ...webhook, clientConfig } } } };
      await client.patch(
        CustomResourceDefinition,
        { name: definition },
        { merge: merge as object },
        { fieldManager: name },
      );
      return true;
    },
  });
  return [
    {
      kind: MutatingWebhookConfiguration,
      name,
      async ensure() {
        const { mutating } = wanted();
        const found = await ignoreNotFound(client.get(MutatingWebhookConfiguration, { name }));
        if (!mutating) {
          if (found) await ignoreNotFound(client.delete(MutatingWebhookConfiguration, { name }));
        } else if (!hasMembers(found, mutating))
          await client.apply(MutatingWebhookConfiguration, mutating, options);
        return true;
      },
    },
    {
      kind: ValidatingWebhookConfiguration,
      name,
      async ensure() {
        const { validating } = wanted();
        const found = await ignoreNotFound(client.get(ValidatingWebhookConfiguration, { name }));
        if (!validating) {
          if (found) await ignoreNotFound(client.delete(ValidatingWebhookConfiguration, { name }));
        } else if (!hasMembers(found, validating))
          await client.apply(ValidatingWebhookConfiguration, validating, options);
        return true;
      },
    },
    ...Array.from(wanted().conversions.keys(), conversion),
  ];
}

/** The delays between attempts that fail. */
const retries = { duration: 1000, factor: 2, jitter: 0.1, steps: 10, cap: 60_000 };

function keep(ctx: InstallContext, { kind, name, ensure }: Target): InstalledWebhooks {
  const { informers, clock, random, log } = ctx;
  let isComplete = false;
  let isClosed = false;
  let timer: Timer | undefined;
  let delay = delays(retries, random);
  const attempt = coalesceCalls(async () => {
    timer?.cancel();
    if (isClosed) return;
    try {
      isComplete = await ensure();
      delay = delays(retries, random);
    } catch (error) {
      isComplete = false;
      if (isClosed) return;
      log.error("webhooks were not installed", error, { kind: kind.kind, name });
      timer = clock.setTimer(delay(), refresh);
    }
  });
  const refresh = (): void => void attempt();
  const informer = informers.of(kind, { fieldSelector: { "metadata.name": name } });
  const registration = informer.addHandler({
    added: refresh,
    updated: refresh,
    deleted: refresh,
  });
  refresh();
  return {
    get isComplete() {
      return isComplete;
    },
    refresh,
    close() {
      isClosed = true;
      timer?.cancel();
      registration.remove();
      informer.close();
    },
  };
}
