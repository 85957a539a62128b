import type { ObjectMeta, OwnerReference } from "../../api/meta/v1/object-meta.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";

/** An object that may not have been created yet, so it may lack most of its metadata. */
export interface Owned {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
}

export interface OwnerOptions {
  /** Whether the owner's deletion in the foreground waits for the object. */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** Thrown if an object already has another controller. */
export class AlreadyOwnedError extends Error {
  override readonly name = "AlreadyOwnedError";
  readonly owner: OwnerReference;

  constructor({ metadata = {} }: Owned, owner: OwnerReference) {
    const { namespace = "", name = "" } = metadata;
    super(
      `Object ${namespace}/${name} is already owned by another ${owner.kind} controller ${owner.name}`,
    );
    this.owner = owner;
  }
}

/** The object with `owner` as its controller: what `owns` of a controller looks for. */
export function withController<T extends Owned>(
  object: T,
  owner: KubernetesObject,
  { blockOwnerDeletion = true }: OwnerOptions = {},
): T {
  checkNamespaces(object, owner);
  const reference = { ...referenceTo(owner), controller: true, blockOwnerDeletion };
  const present = controllerOf(object);
  if (present && !refersToSame(present, reference)) throw new AlreadyOwnedError(object, present);
  return withReference(object, reference);
}

/** The object with `owner` as one of its owners, not as its controller. */
export function withOwner<T extends Owned>(
  object: T,
  owner: KubernetesObject,
  { blockOwnerDeletion }: OwnerOptions = {},
): T {
  checkNamespaces(object, owner);
  const reference = referenceTo(owner);
  return withReference(
    object,
    blockOwnerDeletion === undefined ? reference : { ...reference, blockOwnerDeletion },
  );
}

/** The object without `owner` in its owner references; throws if it is not an owner. */
export function withoutOwner<T extends Owned>(object: T, owner: KubernetesObject): T {
  const references = ownersOf(object);
  if (references.length === 0)
    throw new Error(`${typeText(object)} does not have any owner references`);
  const index = indexOf(references, owner);
  if (index < 0)
    throw new Error(`${typeText(object)} does not have an owner reference for ${typeText(owner)}`);
  return withReferences(object, references.toSpliced(index, 1));
}

/** The object without its controller, which must be `owner`. */
export function withoutController<T extends Owned>(object: T, owner: KubernetesObject): T {
  if (!controllerOf(object))
    throw new Error(
      `${typeText(object)} does not have a owner reference with controller equals true`,
    );
  const references = ownersOf(object);
  const index = indexOf(references, owner);
  if (index < 0)
    throw new Error(
      `${typeText(object)} does not have an controller reference for ${typeText(owner)}`,
    );
  if (!references[index]?.controller)
    throw new Error(
      `${typeText(owner)} owner is not the controller reference for ${typeText(object)}`,
    );
  return withReferences(object, references.toSpliced(index, 1));
}

/** The reference to an object's controller. */
export const controllerOf = (object: Owned): OwnerReference | undefined =>
  ownersOf(object).find(({ controller }) => controller);

/** Whether `owner` is among an object's owners, by group, kind and name. */
export const isOwnedBy = (object: Owned, owner: KubernetesObject): boolean =>
  indexOf(ownersOf(object), owner) >= 0;

/** Whether `owner` is an object's controller, compared by uid. */
export const isControlledBy = (object: Owned, owner: KubernetesObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid;

/** The group in an `apiVersion`; undefined where it is none. */
export function groupOf(apiVersion: string): string | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return undefined;
  return parts.length === 2 ? parts[0] : "";
}

const ownersOf = ({ metadata }: Owned): readonly OwnerReference[] =>
  metadata?.ownerReferences ?? [];

const referenceTo = ({ apiVersion, kind, metadata }: KubernetesObject): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name ?? "",
  uid: metadata.uid ?? "",
});

const indexOf = (references: readonly OwnerReference[], owner: KubernetesObject): number =>
  references.findIndex((reference) => refersToSame(reference, referenceTo(owner)));

function refersToSame(a: OwnerReference, b: OwnerReference): boolean {
  const group = groupOf(a.apiVersion);
  return (
    group !== undefined && group === groupOf(b.apiVersion) && a.kind === b.kind && a.name === b.name
  );
}

function withReference<T extends Owned>(object: T, reference: OwnerReference): T {
  const references = ownersOf(object);
  const index = references.findIndex((present) => refersToSame(present, reference));
  return withReferences(
    object,
    index < 0 ? [...references, reference] : references.with(index, reference),
  );
}

const withReferences = <T extends Owned>(
  object: T,
  ownerReferences: readonly OwnerReference[],
): T => ({ ...object, metadata: { ...object.metadata, ownerReferences } });

function checkNamespaces(object: Owned, owner: KubernetesObject): void {
  const { namespace } = owner.metadata;
  if (!namespace) return;
  const own = object.metadata?.namespace;
  if (!own)
    throw new Error(
      `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${namespace}`,
    );
  if (own !== namespace)
    throw new Error(
      `cross-namespace owner references are disallowed, owner's namespace ${namespace}, obj's namespace ${own}`,
    );
}

/** An object's type as Go prints it, which is how these errors name it. */
const typeText = ({ apiVersion = "", kind = "" }: Owned): string =>
  `*${apiVersion.slice(apiVersion.indexOf("/") + 1)}.${kind}`;
