import { notFound } from "../../api/meta/v1/status-error.ts";
import { type AnyKind, type ApiObject, canonical } from "../../apiserver/objects/object.ts";
import type { User } from "../../apiserver/request/identity.ts";
import {
  type ComputedObjects,
  computedPage,
} from "../../apiserver/subresources/computed-objects.ts";
import type { CustomKind } from "../../custom-kinds/language/kind-definition.ts";
import type { Verb } from "../../schema/language/kind.ts";

/** Objects that are computed when a client asks; the kind has the verbs of which there is a function. */
export interface ComputedDefinition<O, I> {
  /** The object of a name; undefined if there is none. */
  get?(wanted: ComputedName): I | undefined | Promise<I | undefined>;
  /** The objects of a namespace, or of all if it is empty; selectors are applied to what it returns. */
  list?(wanted: ComputedRequest): readonly I[] | Promise<readonly I[]>;
  /** The objects as they are, as ADDED, and then their changes, until the signal aborts. */
  watch?(wanted: ComputedRequest): AsyncIterable<ComputedChange<I>>;
  /** Responds to an object that a client sends, as reviews do. */
  create?(object: O, wanted: ComputedReview): I | Promise<I>;
}

interface ComputedCall {
  /** The caller. */
  readonly user: User;
}

export interface ComputedRequest extends ComputedCall {
  /** Empty for kinds of the cluster, and for requests for all namespaces. */
  readonly namespace: string;
  /** Aborted when nobody waits for the response any more. */
  readonly signal: AbortSignal;
}

export interface ComputedName extends ComputedRequest {
  readonly name: string;
}

export interface ComputedReview extends ComputedCall {
  readonly isDryRun: boolean;
  /** Sends a warning to the client. */
  warn(text: string): void;
}

export interface ComputedChange<I> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: I;
}

/** A kind whose objects are computed, ready for a server. */
export interface ComputedKind {
  readonly kind: CustomKind;
  readonly verbs: readonly Verb[];
  readonly objects: ComputedObjects;
}

/**
 * Declares that the objects of a kind are computed instead of stored:
 *
 * ```ts
 * computed(Uptime, { list: () => [{ metadata: { name: "self" }, seconds: process.uptime() }] });
 * ```
 */
export function computed<O, I>(
  kind: CustomKind<O, I>,
  definition: ComputedDefinition<NoInfer<O>, NoInfer<I>>,
): ComputedKind {
  const { get, list, watch, create } = definition;
  const { group, plural: resource } = kind;
  return {
    kind: kind as CustomKind,
    verbs: (["create", "get", "list", "watch"] as const).filter((verb) => definition[verb]),
    objects: {
      ...(get && {
        async get(served, { name, namespace, user, signal }) {
          const found = await get({ name, namespace, user, signal });
          if (found === undefined) throw notFound({ group, resource, name });
          return whole(served, found);
        },
      }),
      ...(list && {
        async list(served, { namespace, user, signal, selection }) {
          const objects = await list({ namespace, user, signal });
          const all = objects.map((object) => whole(served, object));
          return computedPage(
            served,
            all.filter((object) => selection.matches(object)),
          );
        },
      }),
      ...(watch && {
        async *watch(served, { namespace, user, signal, selection }) {
          for await (const { type, object } of watch({ namespace, user, signal })) {
            const event = { type, object: whole(served, object) };
            if (selection.matches(event.object)) yield event;
          }
        },
      }),
      ...(create && {
        async create(served, object, { user, dryRun: isDryRun, warnings }) {
          const warn = (text: string) => void warnings.push(text);
          return whole(served, await create(object as O, { user, isDryRun, warn }));
        },
      }),
    },
  };
}

/** An object with its apiVersion, kind and defaults. */
function whole(kind: AnyKind, object: unknown): ApiObject {
  const { group, version, kind: name } = kind;
  const draft = structuredClone({
    ...(object as object),
    apiVersion: `${group}/${version}`,
    kind: name,
  });
  kind.form.complete(draft);
  return canonical(kind, draft);
}
