import { notFound } from "../api/meta/v1/status-error.ts";
import type { CallOptions } from "./call-options.ts";
import type { Client } from "./client.ts";
import { objectStates } from "./informer/object-states.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "./resource-kind.ts";

export interface WaitOptions<O> extends CallOptions {
  readonly key: ObjectKey;
  /** What is waited for; what it throws ends the waiting. */
  readonly until: (object: O) => boolean;
}

/**
 * Resolves with an object as soon as it is as wanted, also one that is yet to be created. Rejects with
 * a `StatusError` (`NotFound`) when it is deleted meanwhile: another of its name is another object.
 */
export async function waitFor<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  { key, until, signal }: WaitOptions<O>,
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

export interface WaitDeletedOptions extends CallOptions {
  readonly key: ObjectKey;
  /** Which object is to go; another of its name may stay. Any if not given. */
  readonly uid?: string | undefined;
}

/** Resolves when an object is gone. */
export async function waitForDeletion<O extends KubernetesObject>(
  client: Client,
  kind: ResourceKind<O>,
  { key, uid, signal }: WaitDeletedOptions,
): Promise<void> {
  for await (const object of objectStates(client, kind, { key, signal }))
    if (object === undefined || (uid !== undefined && object.metadata.uid !== uid)) return;
}
