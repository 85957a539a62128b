import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import type { ServedKind } from "../../schema/language/kind.ts";
import type { Draft } from "../../schema/language/struct.ts";

/** Any object of the API: what the server needs to know of it without knowing its kind. */
export interface ApiObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** An object that is still being made. */
export type ObjectDraft = Draft<ApiObject>;

/** A kind whose objects are handled without knowing which. */
export type AnyKind = ServedKind<ApiObject>;

/** Freezes an object and all it holds. */
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
