import { StatusError } from "../api/meta/v1/status-error.ts";
import { type KubernetesObject, keyOf, type ResourceKind } from "../client/resource-kind.ts";
import type { ReconcileContext } from "../controller-runtime/reconcile/controller-definition.ts";
import { claimOf } from "./claim.ts";

/** The owner that claims objects, and their kind. */
export interface ObjectClaims<O extends KubernetesObject, T extends KubernetesObject> {
  readonly owner: O;
  readonly ownerKind: ResourceKind<O>;
  readonly kind: ResourceKind<T>;
  readonly matches: (object: T) => boolean;
  /** A finalizer that adopted objects get and released ones lose. */
  readonly finalizer?: string | undefined;
}

/**
 * The objects of an owner: those that it controls, and matching orphans, which it adopts. Objects that no
 * longer match are released. Before the first adoption, the server is asked whether the owner still exists.
 */
export async function claimObjects<O extends KubernetesObject, T extends KubernetesObject>(
  ctx: ReconcileContext,
  claims: ObjectClaims<O, T>,
  objects: readonly T[],
): Promise<readonly T[]> {
  const { kind, owner, matches } = claims;
  const claimed: T[] = [];
  const faults: unknown[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const object of objects) {
    const claim = claimOf(object, owner, matches(object));
    if (claim === "owned") claimed.push(object);
    try {
      if (claim === "adopt") {
        mayAdopt ??= stillThere(ctx, claims);
        await mayAdopt.catch((error: Error) => {
          const { namespace, name, uid } = object.metadata;
          throw new Error(
            `can't adopt ${kind.kind} ${namespace}/${name} (${uid}): ${error.message}`,
          );
        });
        claimed.push(await adopt(ctx, claims, object));
      }
      if (claim === "release") await release(ctx, claims, object);
    } catch (error) {
      if (!StatusError.is(error, "NotFound")) faults.push(error);
    }
  }
  if (faults.length === 1) throw faults[0];
  if (faults.length > 1)
    throw new AggregateError(faults, `${faults.length} ${kind.plural} cannot be claimed`);
  return claimed;
}

async function stillThere<O extends KubernetesObject, T extends KubernetesObject>(
  { client, signal }: ReconcileContext,
  { owner, ownerKind }: ObjectClaims<O, T>,
): Promise<void> {
  const { namespace, name = "", uid } = owner.metadata;
  const fresh = await client.get(ownerKind, { namespace, name }, { signal });
  if (fresh.metadata.uid !== uid)
    throw new Error(
      `original ${ownerKind.kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`,
    );
  const { deletionTimestamp } = fresh.metadata;
  if (deletionTimestamp !== undefined)
    throw new Error(`${namespace}/${name} has just been deleted at ${deletionTimestamp}`);
}

/** The uid in the patch protects other objects of the same name; the server rejects a second controller. */
async function adopt<O extends KubernetesObject, T extends KubernetesObject>(
  { client, signal }: ReconcileContext,
  { kind, owner, finalizer }: ObjectClaims<O, T>,
  object: T,
): Promise<T> {
  const { apiVersion, metadata } = owner;
  const { name = "", uid = "" } = metadata;
  const reference = {
    apiVersion,
    kind: owner.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const change = {
    uid: object.metadata.uid,
    ownerReferences: [reference],
    ...(finalizer !== undefined && { finalizers: [finalizer] }),
  };
  const patch = { strategic: { metadata: change } as never };
  return client.patch(kind, keyOf(object), patch, { signal });
}

async function release<O extends KubernetesObject, T extends KubernetesObject>(
  { client, signal }: ReconcileContext,
  { kind, owner, finalizer }: ObjectClaims<O, T>,
  object: T,
): Promise<void> {
  const gone = { $patch: "delete", uid: owner.metadata.uid ?? "" };
  const change = {
    uid: object.metadata.uid,
    ownerReferences: [gone],
    ...(finalizer !== undefined && { "$deleteFromPrimitiveList/finalizers": [finalizer] }),
  };
  try {
    await client.patch(
      kind,
      keyOf(object),
      { strategic: { metadata: change } as never },
      { signal },
    );
  } catch (error) {
    // The object has lost its owner, or is another one of the same name.
    if (!StatusError.is(error, "Invalid")) throw error;
  }
}
