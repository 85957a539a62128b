import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { ListPage } from "../verbs/list.ts";
import type { Selection } from "../verbs/selection.ts";

/** Objects that are not stored, but computed for each request. */
export interface ComputedObjects {
  get(
    kind: AnyKind,
    key: { readonly namespace: string; readonly name: string },
  ): Promise<ApiObject>;
  list(kind: AnyKind, wanted: ComputedList): Promise<ListPage>;
}

export interface ComputedList {
  /** Empty: all of them. */
  readonly namespace: string;
  readonly selection: Pick<Selection, "matches">;
}

/** A list of computed objects. */
export const computedPage = (kind: AnyKind, objects: readonly ApiObject[]): ListPage => ({
  objects: objects.map((object) => ({
    object,
    get jsonTail() {
      const text = kind.form.encode(object).slice(kind.form.head.length);
      return new TextEncoder().encode(text);
    },
  })),
  metadata: {},
});
