import { type AnyKind, type ApiObject, canonical } from "../../objects/object.ts";
import type { Attributes } from "../admission.ts";
import { convertObject } from "./convert-object.ts";
import { requestedObjects } from "./requested.ts";

/** A request with its objects as those of one kind, which may be an equivalent of its own. */
export interface SeenRequest {
  readonly attributes: Attributes;
  readonly seenAs: AnyKind;
  /** The object after the request, in the form in which clients read it; none after a deletion. */
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

/** The kind of a request's objects, which differs for subresources such as a Scale; options of a connection have none. */
export const objectKindOf = ({
  attributes: { operation, objectKind },
  seenAs,
}: SeenRequest): AnyKind | undefined =>
  operation === "CONNECT" ? undefined : (objectKind ?? seenAs);

/** Converts the objects of a request; at once, unless a webhook converts the kind. */
export function seeRequest(
  attributes: Attributes,
  seenAs: AnyKind,
): SeenRequest | Promise<SeenRequest> {
  const { operation, address, objectKind } = attributes;
  const { object, old } = requestedObjects(attributes);
  // The options of a connection have no form.
  if (operation === "CONNECT") return { attributes, seenAs, object, old };
  const from = objectKind ?? address.kind;
  const read = object && canonical(from, object);
  // The object of a subresource with a kind of its own has no other versions.
  if (objectKind || seenAs === from) return { attributes, seenAs, object: read, old };
  const convert = (each: ApiObject | undefined) =>
    each && convertObject(each, { from, to: seenAs });
  const [now, before] = [convert(read), convert(old)];
  if (now instanceof Promise || before instanceof Promise)
    return Promise.all([now, before]).then((all) => ({
      attributes,
      seenAs,
      object: all[0],
      old: all[1],
    }));
  return { attributes, seenAs, object: now, old: before };
}
