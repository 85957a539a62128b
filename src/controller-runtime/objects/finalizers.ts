import type { ObjectMeta } from "../../api/meta/v1/object-meta.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Client } from "../../client/client.ts";
import type { PartialInput } from "../../client/patch.ts";
import { type KubernetesObject, keyOf, type ResourceKind } from "../../client/resource-kind.ts";
import { type RetryingOptions, retryOnConflict } from "./retry-on-conflict.ts";

/** Whether an object has a finalizer. */
export const hasFinalizer = (object: WithMetadata, finalizer: string): boolean =>
  finalizersOf(object).includes(finalizer);

/** The object with a finalizer; the same object if it has it already. */
export function withFinalizer<T extends WithMetadata>(object: T, finalizer: string): T {
  if (hasFinalizer(object, finalizer)) return object;
  return withFinalizers(object, [...finalizersOf(object), finalizer]);
}

/** The object without a finalizer; the same object if it does not have it. */
export function withoutFinalizer<T extends WithMetadata>(object: T, finalizer: string): T {
  if (!hasFinalizer(object, finalizer)) return object;
  return withFinalizers(
    object,
    finalizersOf(object).filter((one) => one !== finalizer),
  );
}

/**
 * Adds a finalizer to an object on the server, and resolves with the updated object. Concurrent changes
 * of other fields are kept.
 */
export async function addFinalizer<O extends KubernetesObject>(
  options: FinalizerOptions<O>,
  object: O,
  finalizer: string,
): Promise<O> {
  return rewritten(options, object, (current) => withFinalizer(current, finalizer));
}

/**
 * Removes a finalizer from an object on the server, and resolves with the updated object, or with
 * undefined if it is gone.
 */
export async function removeFinalizer<O extends KubernetesObject>(
  options: FinalizerOptions<O>,
  object: O,
  finalizer: string,
): Promise<O | undefined> {
  try {
    return await rewritten(options, object, (current) => withoutFinalizer(current, finalizer));
  } catch (error) {
    if (StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}

export interface FinalizerOptions<O> extends RetryingOptions {
  readonly client: Client;
  readonly kind: ResourceKind<O>;
}

interface WithMetadata {
  readonly metadata?: ObjectMeta | undefined;
}

const finalizersOf = ({ metadata }: WithMetadata): readonly string[] => metadata?.finalizers ?? [];

const withFinalizers = <T extends WithMetadata>(object: T, finalizers: readonly string[]): T => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
});

/** Replaces the list of finalizers; after a conflict, that of the latest version. */
function rewritten<O extends KubernetesObject>(
  { client, kind, ...retrying }: FinalizerOptions<O>,
  object: O,
  change: (current: O) => O,
): Promise<O> {
  let current = object;
  return retryOnConflict(async () => {
    const next = change(current);
    if (next === current) return current;
    const { uid, resourceVersion } = current.metadata;
    const metadata = { uid, resourceVersion, finalizers: next.metadata.finalizers };
    const merge = { metadata } as unknown as PartialInput<unknown>;
    try {
      return await client.patch(kind, keyOf(object), { merge }, { signal: retrying.signal });
    } catch (error) {
      if (StatusError.is(error, "Conflict")) current = await sameObject({ client, kind }, object);
      throw error;
    }
  }, retrying);
}

/** The latest version of the object; not another object of the same name. */
async function sameObject<O extends KubernetesObject>(
  { client, kind }: Pick<FinalizerOptions<O>, "client" | "kind">,
  object: O,
): Promise<O> {
  const current = await client.get(kind, keyOf(object));
  if (current.metadata.uid !== object.metadata.uid)
    throw new StatusError(
      "NotFound",
      `${kind.plural} "${object.metadata.name}" with the uid ${object.metadata.uid} not found`,
    );
  return current;
}
