/** A patch in one of the formats that servers accept. */
export type Patch<I> =
  /** JSON merge patch (RFC 7386): members replace those of the object, null removes them. */
  | { readonly merge: PartialInput<I> }
  /** Strategic merge patch: also merges lists by their keys. Only built-in kinds support it. */
  | { readonly strategic: PartialInput<I> }
  /** JSON patch (RFC 6902): operations that are applied in order. */
  | { readonly json: readonly JsonPatchOperation[] };

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** Any part of an object; null removes a member. */
export type PartialInput<T> = T extends readonly (infer E)[]
  ? readonly PartialInput<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: PartialInput<T[K]> | null | undefined }
    : T;

/** Returns body and content type of a patch request. */
export function patchBody<I>(patch: Patch<I>): { readonly type: string; readonly body: object } {
  if ("merge" in patch)
    return { type: "application/merge-patch+json", body: patch.merge as object };
  if ("strategic" in patch)
    return { type: "application/strategic-merge-patch+json", body: patch.strategic as object };
  return { type: "application/json-patch+json", body: patch.json };
}

/** The content type of apply requests. JSON is valid YAML, so that bodies are sent as JSON. */
export const applyType = "application/apply-patch+yaml";
