import { sameJson } from "../../schema/json/json-value.ts";
import type { ObjectDraft } from "../objects/object.ts";
import { canonical } from "../objects/object.ts";
import type { Attributes } from "./admission.ts";

/** Whether only owners and finalizers change, as the garbage collector does to all objects. */
export function isOnlyForCollection({
  address,
  object,
  old,
}: Attributes | Attributes<ObjectDraft>): boolean {
  const comparable = (of: unknown) => {
    const { metadata, ...rest } = canonical(address.kind, of);
    const { ownerReferences: _, finalizers: __, managedFields: ___, ...shown } = metadata;
    return { ...rest, metadata: shown };
  };
  return sameJson(comparable(structuredClone(object)), comparable(old));
}
