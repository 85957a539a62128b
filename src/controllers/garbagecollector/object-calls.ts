import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import type { Client } from "../../client/client.ts";
import { createDiscovery, type Discovery } from "../../client/discovery/discovery.ts";
import { NoMatchError } from "../../client/discovery/mapping-errors.ts";
import { createRestMapper } from "../../client/discovery/rest-mapper.ts";
import type { PartialInput } from "../../client/patch.ts";
import {
  type MetadataInput,
  type MetadataObject,
  metadataOnly,
  type ObjectKey,
  type ResourceKind,
} from "../../client/resource-kind.ts";
import {
  conflictBackoff,
  retryOnConflict,
} from "../../controller-runtime/objects/retry-on-conflict.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { type ObjectReference, referenceText } from "./object-reference.ts";

/** API calls by reference; only metadata is requested. */
export interface ObjectCalls {
  /** Discovery of the served resources. */
  readonly discovery: Discovery;
  /** Whether objects of the kind are in namespaces; throws an `UnknownKind`. */
  isNamespaced(reference: Pick<ObjectReference, "apiVersion" | "kind">): Promise<boolean>;
  /** The object; undefined if it does not exist, or has another uid. */
  get(reference: ObjectReference): Promise<MetadataObject | undefined>;
  /** Deletes an object if its owners have not changed; false if it is gone already. */
  delete(reference: ObjectReference, how: DeleteHow): Promise<boolean>;
  /** Removes owner references from an object; does nothing if it is gone. */
  release(reference: ObjectReference, owners: readonly string[]): Promise<void>;
  /** Makes the owner references of an object non-blocking. */
  unblock(reference: ObjectReference, owners: readonly OwnerReference[]): Promise<void>;
  removeFinalizer(reference: ObjectReference, finalizer: string): Promise<void>;
}

export interface DeleteHow {
  readonly policy: "Orphan" | "Foreground" | "Background";
  /** The object as it was when the deletion was decided. */
  readonly latest: MetadataObject;
}

export interface ObjectCallsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** Thrown for a kind that is not served. */
export class UnknownKind extends Error {
  override readonly name = "UnknownKind";
}

/** Thrown for a cluster-scoped object with a namespaced owner, whose namespace is unknown. */
export class NamespacedOwner extends Error {
  override readonly name = "NamespacedOwner";

  constructor() {
    super("cluster-scoped objects cannot refer to namespaced owners");
  }
}

/** Calls through a client. */
export function createObjectCalls(options: ObjectCallsOptions): ObjectCalls {
  const { client, clock, random } = options;
  const discovery = createDiscovery(client);
  const mapper = createRestMapper(discovery);

  const kindOf = async ({ apiVersion, kind }: Pick<ObjectReference, "apiVersion" | "kind">) => {
    try {
      return metadataOnly(await mapper.kindOf({ apiVersion, kind }));
    } catch (error) {
      if (!(error instanceof NoMatchError)) throw error;
      throw new UnknownKind(`unable to get REST mapping for ${apiVersion}/${kind}.`);
    }
  };
  const addressOf = async (reference: ObjectReference): Promise<Address> => {
    const kind = await kindOf(reference);
    const { name, namespace } = reference;
    if (kind.scope === "Cluster") return { kind, key: { name } };
    if (namespace === "") throw new NamespacedOwner();
    return { kind, key: { name, namespace } };
  };
  /** Undefined if the object does not exist; throws if its resource is not served. */
  const ifThere = async <T>(call: Promise<T>): Promise<T | undefined> => {
    try {
      return await call;
    } catch (error) {
      if (isObjectMissing(error)) return undefined;
      if (StatusError.is(error, "NotFound")) await discovery.apis({ newerThan: discovery.known });
      throw error;
    }
  };
  const get = async (reference: ObjectReference): Promise<MetadataObject | undefined> => {
    const { kind, key } = await addressOf(reference);
    const found = await ifThere(client.get(kind, key));
    return found?.metadata.uid === reference.uid ? found : undefined;
  };
  const patch = async (reference: ObjectReference, change: Change): Promise<void> => {
    const { kind, key } = await addressOf(reference);
    try {
      await ifThere(client.patch(kind, key, change));
    } catch (error) {
      // The uid in the patch protects other objects of the same name.
      if (!(StatusError.is(error, "Conflict") && (await get(reference)) === undefined)) throw error;
    }
  };
  /** Patches single items if the server supports it, else the whole list that was read. */
  const patchOwners = async (
    reference: ObjectReference,
    items: readonly object[],
    whole: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> => {
    const { uid } = reference;
    try {
      await patch(reference, { strategic: metadata({ uid, ownerReferences: items }) });
    } catch (error) {
      if (!StatusError.is(error, "UnsupportedMediaType")) throw error;
      const latest = await get(reference);
      if (!latest) return;
      const { resourceVersion, ownerReferences = [] } = latest.metadata;
      const owners = whole(ownerReferences);
      const next = owners.length > 0 ? owners : null;
      await patch(reference, { merge: metadata({ resourceVersion, ownerReferences: next }) });
    }
  };
  const remove = async (
    reference: ObjectReference,
    { policy, resourceVersion }: { policy: DeleteHow["policy"]; resourceVersion?: string },
  ): Promise<boolean> => {
    const { kind, key } = await addressOf(reference);
    const preconditions = { uid: reference.uid, ...(resourceVersion && { resourceVersion }) };
    const how = { preconditions, propagationPolicy: policy };
    return (await ifThere(client.delete(kind, key, how).then(() => true))) ?? false;
  };

  return {
    discovery,
    isNamespaced: async (reference) => (await kindOf(reference)).scope === "Namespaced",
    get,
    async delete(reference, { policy, latest }) {
      const { resourceVersion = "", ownerReferences } = latest.metadata;
      try {
        return await remove(reference, { policy, resourceVersion });
      } catch (error) {
        if (!StatusError.is(error, "Conflict")) throw error;
        const now = await get(reference);
        if (!now) return false;
        // The object changes often, but not its owners.
        if (sameJson(now.metadata.ownerReferences, ownerReferences))
          return await remove(reference, { policy });
        throw error;
      }
    },
    release: (reference, owners) =>
      patchOwners(
        reference,
        owners.map((uid) => ({ $patch: "delete", uid })),
        (all) => all.filter(({ uid }) => !owners.includes(uid)),
      ),
    unblock: (reference, owners) =>
      patchOwners(
        reference,
        owners
          .filter(({ blockOwnerDeletion }) => blockOwnerDeletion)
          .map((owner) => ({ ...owner, blockOwnerDeletion: false })),
        (all) => all.map((owner) => ({ ...owner, blockOwnerDeletion: false })),
      ),
    removeFinalizer: (reference, finalizer) =>
      retryOnConflict(
        async () => {
          const latest = await get(reference);
          const { finalizers = [], resourceVersion } = latest?.metadata ?? {};
          if (!finalizers.includes(finalizer)) return;
          const left = finalizers.filter((name) => name !== finalizer);
          const next = left.length > 0 ? left : null;
          const { kind, key } = await addressOf(reference);
          const merge = metadata({ resourceVersion, finalizers: next });
          await ifThere(client.patch(kind, key, { merge }));
        },
        { clock, random, backoff: conflictBackoff },
      ).catch((error: unknown) => {
        if (!StatusError.is(error, "Conflict")) throw error;
        const tries = conflictBackoff.steps;
        throw new Error(
          `updateMaxRetries(${tries}) has reached. The garbage collector will retry later for owner ${referenceText(reference)}`,
          { cause: error },
        );
      }),
  };
}

interface Address {
  readonly kind: ResourceKind<MetadataObject, MetadataInput>;
  readonly key: ObjectKey;
}

type Change =
  | { readonly strategic: PartialInput<MetadataInput> }
  | { readonly merge: PartialInput<MetadataInput> };

const metadata = (change: object): PartialInput<MetadataInput> =>
  ({ metadata: change }) as PartialInput<MetadataInput>;

/** Whether a response says that the object does not exist, not that its path is unknown. */
const isObjectMissing = (error: unknown): boolean =>
  StatusError.is(error, "NotFound") &&
  Boolean(error.details?.name) &&
  !(error.details?.causes ?? []).some(({ reason }) => reason === "UnexpectedServerResponse");
