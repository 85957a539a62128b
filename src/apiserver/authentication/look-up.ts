import type { ApiObject } from "../objects/object.ts";
import { findKnown, type Registry } from "../objects/registry.ts";

/** An object as the cache has it; the store is asked only for what the cache lacks. */
export async function lookUp(
  registry: Registry,
  plural: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<ApiObject | undefined> {
  const kind = registry.resources.find("", "v1", plural);
  if (!kind || name === "") return undefined;
  return (await findKnown(registry, { kind, namespace, name }))?.object;
}
