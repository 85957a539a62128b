import { MutatingWebhookConfiguration } from "../../api/admissionregistration/v1/mutating-webhook-configuration.ts";
import { ValidatingWebhookConfiguration } from "../../api/admissionregistration/v1/validating-webhook-configuration.ts";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import {
  hasMembers,
  type KeepingContext,
  type KeptObject,
  type KeptObjects,
  keepObjects,
} from "../objects/keep-objects.ts";
import type { WebhookConfigurations } from "./webhook-configurations.ts";

/**
 * Writes the configurations of webhooks, and writes them again when others change or delete them. Definitions of
 * custom kinds get their conversion once they exist. What is wanted is asked for at each write.
 */
export const installWebhooks = (
  ctx: KeepingContext,
  name: string,
  wanted: () => WebhookConfigurations,
): KeptObjects => keepObjects(ctx, targetsOf(ctx, name, wanted));

/** Deletes the configurations of a name, so that nobody is kept waiting for a server that is gone. */
export async function uninstallWebhooks({ client }: KeepingContext, name: string): Promise<void> {
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration])
    await ignoreNotFound(client.delete(kind, { name }));
}

function targetsOf(
  ctx: KeepingContext,
  name: string,
  wanted: () => WebhookConfigurations,
): readonly KeptObject[] {
  const { client } = ctx;
  const options = { fieldManager: name, force: true };
  const conversion = (definition: string): KeptObject => ({
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
