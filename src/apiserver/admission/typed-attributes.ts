import type { Draft } from "../../schema/language/struct.ts";
import type { ObjectDraft } from "../objects/object.ts";
import type { KindOf } from "../objects/reader.ts";
import type { Attributes } from "./admission.ts";

/** The object of a request for a kind, in any of its versions. Throws if the request is for another kind. */
export function objectOf<O>(kind: KindOf<O>, attributes: Attributes | Attributes<ObjectDraft>): O {
  checkKind(kind, attributes);
  return attributes.object as O;
}

/** The same object while plugins may change it. */
export function draftOf<O>(kind: KindOf<O>, attributes: Attributes<ObjectDraft>): Draft<O> {
  checkKind(kind, attributes);
  return attributes.object as Draft<O>;
}

/** The object before an update. Throws if there is none. */
export function oldOf<O>(kind: KindOf<O>, attributes: Attributes | Attributes<ObjectDraft>): O {
  checkKind(kind, attributes);
  if (!attributes.old) throw new Error(`a ${attributes.operation} has no old object`);
  return attributes.old as O;
}

/** Whether a request is for a kind, in any of its versions, or for a subresource of it. */
export const isFor = (
  { group, plural }: KindOf<unknown>,
  { address: { kind } }: Attributes | Attributes<ObjectDraft>,
): boolean => kind.plural === plural && kind.group === group;

function checkKind(kind: KindOf<unknown>, attributes: Attributes | Attributes<ObjectDraft>): void {
  if (isFor(kind, attributes)) return;
  throw new Error(`a request for ${attributes.address.kind.plural} is not one for ${kind.plural}`);
}
