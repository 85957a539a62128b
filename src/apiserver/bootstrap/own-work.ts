import { admitsAll } from "../admission/admission.ts";
import type { Address } from "../objects/address.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { create } from "../verbs/create.ts";
import { tolerating } from "../verbs/tolerating.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

/** An object with its place. */
export interface Placed {
  readonly address: Address;
  readonly object: ApiObject;
  /** Who owns its fields, if not the server as such. */
  readonly fieldManager?: string;
}

/** The same parts for the server's own writes, which need no admission. */
export const withoutAdmission = (parts: VerbParts): VerbParts => ({
  ...parts,
  admission: admitsAll,
});

/** An object with its place; none where its kind is not served. */
export function placed(
  { resources }: VerbParts,
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
export const cached = ({ reader }: VerbParts, address: Address): ApiObject | undefined =>
  reader.findCached(address)?.object;

/** Creates an object, unless another server on the same store was first. */
export async function ensure(
  parts: VerbParts,
  { address, object, fieldManager }: Placed,
): Promise<void> {
  const draft = structuredClone(object) as ObjectDraft;
  await tolerating(
    ["AlreadyExists"],
    create(parts, address, { draft, context: serverContext(fieldManager) }),
  );
}
