import { CustomResourceDefinition } from "../api/apiextensions/v1/custom-resource-definition.ts";
import type { Client } from "../client/client.ts";
import { waitFor } from "../client/wait-for.ts";
import type { CustomKind, Definition } from "../custom-kinds/language/kind-definition.ts";

/** Creates the definitions of custom kinds, and waits until all of them are served. */
export async function installDefinitions(
  client: Client,
  kinds: readonly (CustomKind | Definition)[],
): Promise<void> {
  const installed = kinds.map(async (one) => {
    const definition = "definition" in one ? one.definition : one;
    const { metadata } = await client.create(CustomResourceDefinition, definition);
    const key = { name: metadata.name ?? "" };
    await waitFor(client, CustomResourceDefinition, { key, until: isEstablished });
  });
  await Promise.all(installed);
}

/** Throws the reason for which a definition will not be served. */
function isEstablished({ metadata, status }: CustomResourceDefinition): boolean {
  const conditions = status.conditions ?? [];
  const refused = conditions.find((one) => one.type === "NamesAccepted" && one.status === "False");
  if (refused) throw new Error(`${metadata.name} is not served: ${refused.message}`);
  return conditions.some((one) => one.type === "Established" && one.status === "True");
}
