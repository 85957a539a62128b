/** A change of an object in one of the forms that servers take. */
export type Patch<I> =
  /** Members replace those of the object, null removes them (RFC 7386). */
  | { readonly merge: PartialInput<I> }
  /** The same, but lists that have keys are merged item by item; only kinds that are built in. */
  | { readonly strategic: PartialInput<I> }
  /** One operation after the other (RFC 6902). */
  | { readonly json: readonly JsonPatchOperation[] };

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** Any part of an object; null removes what is there. */
export type PartialInput<T> = T extends readonly (infer E)[]
  ? readonly PartialInput<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartialInput<T[K]> | null | undefined }
    : T;

/** What is sent for a patch, and as what. */
export function patchBody<I>(patch: Patch<I>): { readonly type: string; readonly body: object } {
  if ("merge" in patch)
    return { type: "application/merge-patch+json", body: patch.merge as object };
  if ("strategic" in patch)
    return { type: "application/strategic-merge-patch+json", body: patch.strategic as object };
  return { type: "application/json-patch+json", body: patch.json };
}

/** JSON is YAML, and what says that it is needs no other form. */
export const applyType = "application/apply-patch+yaml";
