import { notFound } from "../api/meta/v1/status-error.ts";
import type { CallOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import { objectStates } from "./informer/object-states.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "./resource-kind.ts";

export interface WaitForOptions<O> extends CallOptions {
  readonly key: ObjectKey;
  /** The condition to wait for; an error that it throws rejects the wait. */
  readonly until: (object: O) => boolean;
}

/**
 * Resolves with an object once a condition holds; the object need not exist yet. Rejects with a
 * `StatusError` (`NotFound`) if it is deleted meanwhile, even if another is created under its name.
 */
export async function waitFor<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  { key, until, signal }: WaitForOptions<O>,
): Promise<O> {
  let uid: string | undefined;
  for await (const object of objectStates(client, kind, { key, signal })) {
    if (uid !== undefined && object?.metadata.uid !== uid)
      throw notFound({ group: kind.group, resource: kind.plural, name: key.name });
    if (object === undefined) continue;
    if (until(object)) return object;
    uid = object.metadata.uid;
  }
  throw new Error("unreachable");
}

export interface WaitForDeletionOptions extends CallOptions {
  readonly key: ObjectKey;
  /** Waits for the deletion of this object only, not of a later one with the same name. Default: any. */
  readonly uid?: string | undefined;
}

/** Resolves when an object is deleted. */
export async function waitForDeletion<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  { key, uid, signal }: WaitForDeletionOptions,
): Promise<void> {
  for await (const object of objectStates(client, kind, { key, signal }))
    if (object === undefined || (uid !== undefined && object.metadata.uid !== uid)) return;
}
