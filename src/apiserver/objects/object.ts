import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { ServedKind } from "../../schema/language/kind.ts";
import type { Draft } from "../../schema/language/struct.ts";

/** Any object of the API: the fields that the server uses without knowing the kind. */
export interface ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** A mutable object, which becomes the stored one. */
export type ObjectDraft = Draft<ApiObject>;

/** A kind, without the type of its objects. */
export type AnyKind = ServedKind<ApiObject>;

/** Freezes an object deeply. */
export function freeze<T extends object>(value: T): T {
  Object.freeze(value);
  for (const name in value) {
    const item = value[name];
    if (typeof item === "object" && item !== null && !Object.isFrozen(item)) freeze(item);
  }
  return value;
}

/** Puts an object in the form in which it is stored. */
export const canonical = (kind: AnyKind, object: unknown): ApiObject =>
  kind.form.canonical(object) as ApiObject;

/** Makes a draft that has been validated the object that is stored. */
export function finalObject(kind: AnyKind, draft: ObjectDraft): ApiObject {
  kind.strategy.canonicalise?.(draft as never);
  return canonical(kind, draft);
}
