import { forbidden, type StatusError } from "../../api/meta/v1/status-error.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import type { Attributes } from "./admission.ts";

/** The refusal of a request by a plugin: `pods "a" is forbidden: …`. */
export const refusal = (attributes: Attributes | Attributes<ObjectDraft>, why: string) =>
  forbidden(
    {
      group: attributes.address.kind.group,
      resource: attributes.address.kind.plural,
      name: nameOf(attributes),
    },
    why,
  ) satisfies StatusError;

/** A name that is still to be generated is known by its beginning; what is deleted, only by the path. */
function nameOf({ operation, address, object }: Attributes | Attributes<ObjectDraft>): string {
  if (address.name !== "") return address.name;
  const { metadata }: Partial<ApiObject> = operation === "DELETE" ? {} : (object as ApiObject);
  return metadata?.name || metadata?.generateName || "Unknown";
}
