import { forbidden, type StatusError } from "../../api/meta/v1/status-error.ts";
import type { ApiObject, ObjectDraft } from "../objects/object.ts";
import type { Attributes } from "./admission.ts";

/** The error of a plugin that rejects a request: `pods "a" is forbidden: …`. */
export const rejection = (attributes: Attributes | Attributes<ObjectDraft>, why: string) =>
  forbidden(
    {
      group: attributes.address.kind.group,
      resource: attributes.address.kind.plural,
      name: nameOf(attributes),
    },
    why,
  ) satisfies StatusError;

/** The name in the error: the prefix of a name that is still to be generated, or that of the path. */
function nameOf({ operation, address, object }: Attributes | Attributes<ObjectDraft>): string {
  if (address.name !== "") return address.name;
  const { metadata }: Partial<ApiObject> = operation === "DELETE" ? {} : (object as ApiObject);
  return metadata?.name || metadata?.generateName || "Unknown";
}
