import { admitsAll } from "../admission/admission.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { type Address, keyOf, type Registry } from "../objects/registry.ts";
import { serverContext } from "../server-context.ts";
import { create } from "../verbs/create.ts";
import { tolerating } from "../verbs/tolerating.ts";

/** An object with its place. */
export interface Placed {
  readonly address: Address;
  readonly object: ApiObject;
  /** Who owns its fields, if not the server as such. */
  readonly fieldManager?: string;
}

/** The same registry for what the server does by itself: it needs nobody's leave. */
export const ownRegistry = (registry: Registry): Registry => ({
  ...registry,
  admission: admitsAll,
});

/** An object with its place; none where its kind is not served. */
export function placed(
  { resources }: Registry,
  object: Pick<ApiObject, "kind" | "apiVersion" | "metadata">,
  fieldManager?: string,
): Placed[] {
  const kind = resources.findVersion(object.apiVersion, object.kind);
  if (!kind) return [];
  const { namespace = "", name = "" } = object.metadata;
  return [
    {
      address: { kind, namespace, name },
      object,
      ...(fieldManager !== undefined && { fieldManager }),
    },
  ];
}

/** The object at an address, as the cache has it. */
export const cached = ({ cache }: Registry, address: Address): ApiObject | undefined =>
  cache.of(address.kind).get(keyOf(address))?.object;

/** Creates an object, unless another server on the same store was first. */
export async function ensure(
  registry: Registry,
  { address, object, fieldManager }: Placed,
): Promise<void> {
  const draft = structuredClone(object) as ObjectDraft;
  await tolerating(
    ["AlreadyExists"],
    create(registry, address, { draft, context: serverContext(fieldManager) }),
  );
}
