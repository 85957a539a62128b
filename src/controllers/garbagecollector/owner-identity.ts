import type { GraphNode } from "./graph-node.ts";
import {
  comesBefore,
  type ObjectReference,
  ownerIn,
  sameCoordinates,
  sameReference,
} from "./object-reference.ts";

/** Dependents by whether their reference matches the owner. A dependent with two references can be in both. */
export interface Meant {
  readonly matching: readonly GraphNode[];
  readonly others: readonly GraphNode[];
}

/** Separates dependents whose reference matches the owner from those with the same uid and another identity. */
export function whoMeans(owner: ObjectReference, dependents: readonly GraphNode[]): Meant {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of dependents) {
    if (owner.namespace !== "" && owner.namespace !== dependent.namespace) {
      others.push(dependent);
      continue;
    }
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    const isMeant = (one: (typeof references)[number]) => sameCoordinates(one, owner);
    if (references.some(isMeant)) matching.push(dependent);
    if (!references.every(isMeant)) others.push(dependent);
  }
  return { matching, others };
}

/**
 * Another identity that dependents use for the uid of an owner, if `absent` does not exist: the next one
 * in order, and after the last the first one, so that all are tried.
 */
export function alternativeOwner(
  absent: ObjectReference,
  dependents: readonly GraphNode[],
): ObjectReference | undefined {
  let first: ObjectReference | undefined;
  let next: ObjectReference | undefined;
  for (const other of dependents.flatMap((dependent) => otherOwners(absent, dependent))) {
    if (!first || comesBefore(other, first)) first = other;
    if (comesBefore(absent, other) && (!next || comesBefore(other, next))) next = other;
  }
  return next ?? first;
}

/** Other identities that a dependent uses for the uid of an owner. */
function otherOwners(
  absent: ObjectReference,
  { owners, namespace }: GraphNode,
): readonly ObjectReference[] {
  const isClusterWide = absent.namespace === "";
  return owners
    .filter(({ uid }) => uid === absent.uid)
    .map((owner) => {
      // A cluster-scoped kind has no objects in namespaces.
      const isSameKind = owner.apiVersion === absent.apiVersion && owner.kind === absent.kind;
      return ownerIn(owner, isClusterWide && isSameKind ? "" : namespace);
    })
    .filter((other) => !sameReference(other, absent));
}
