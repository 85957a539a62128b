import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import type { User } from "../request/identity.ts";
import type { ListPage } from "../verbs/list.ts";
import type { Selection } from "../verbs/selection.ts";

/** Objects that are not stored, but computed for each request: their kind has the verbs of which this has a function. */
export interface ComputedObjects {
  get?(kind: AnyKind, wanted: ComputedKey): Promise<ApiObject>;
  list?(kind: AnyKind, wanted: ComputedList): Promise<ListPage>;
  /** The objects as they are, as ADDED, and then their changes. */
  watch?(kind: AnyKind, wanted: ComputedList): AsyncIterable<ComputedEvent>;
  /** Returns the response to an object that was sent, which admission has admitted. */
  create?(kind: AnyKind, object: ApiObject, context: RequestContext): Promise<ApiObject>;
}

/** The computed objects of a kind; undefined if they are stored, or reviews. */
export type ComputedKinds = (kind: AnyKind) => ComputedObjects | undefined;

interface ComputedFor {
  /** Empty: all of them. */
  readonly namespace: string;
  readonly user: User;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

export interface ComputedKey extends ComputedFor {
  readonly name: string;
}

export interface ComputedList extends ComputedFor {
  readonly selection: Pick<Selection, "matches">;
}

export interface ComputedEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: ApiObject;
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
